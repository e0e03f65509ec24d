"""One daemon for the tests of evaluations, and what its evaluations run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.plugins.evaluations.evaluation_world import World

from jackfield.testing.daemon import Daemon

SETTINGS = "[evaluations]\nlook_interval = 0.05\nlease = 2\nrow_timeout = 20\n"


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    started = Daemon(Path(tmp_path_factory.mktemp("evaluations")), settings=SETTINGS, env={"TZ": "UTC"})
    try:
        yield started.start()
    finally:
        started.close()


@pytest.fixture(scope="session")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin(timeout=60)


@pytest.fixture(scope="session")
def world(api: httpx.Client) -> World:
    return World(api)
