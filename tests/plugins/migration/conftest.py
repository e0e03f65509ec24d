"""One daemon for a module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(tmp_path_factory.mktemp("daemon")).start()
    yield made
    made.close()
