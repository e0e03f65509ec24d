"""Long runs against a real daemon: `tox -e terminal-soak`. Not collected unless this directory is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon

from ..e2e.shell_daemon import Shells

SETTINGS = "[terminal]\nmax_sessions = 200\nkeep_ended = 5\n"


@pytest.fixture
def shells(tmp_path: Path) -> Iterator[Shells]:
    made = Shells(Daemon(tmp_path, settings=SETTINGS))
    yield made
    made.daemon.close()
