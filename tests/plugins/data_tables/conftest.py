"""One daemon for the tests of data tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    started = Daemon(Path(tmp_path_factory.mktemp("tables")), env={"TZ": "UTC"})
    try:
        yield started.start()
    finally:
        started.close()


@pytest.fixture(scope="session")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin(timeout=60)
