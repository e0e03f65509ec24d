from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from engine_lab import Lab

from jackfield_engine.run.state import UnknownEvent


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture(autouse=True)
def every_event_is_known(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What is raised in a callback reaches nobody but the event loop's log."""
    yield
    for when in ("setup", "call"):
        unknown = [entry for entry in caplog.get_records(when) if entry.exc_info and entry.exc_info[0] is UnknownEvent]
        assert not unknown, [str(entry.exc_info[1]) for entry in unknown if entry.exc_info]
