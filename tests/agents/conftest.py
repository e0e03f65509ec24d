"""The real agents, where JACKFIELD_TEST_AGENTS says that npm has installed them; `tox -e agents` runs these tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from agents_lab import PREFIX, PROGRAMS, Lab, agents_daemon, user_home
from model_server import ModelServer

from jackfield.testing.daemon import Daemon


@pytest.fixture(scope="session")
def models() -> Iterator[ModelServer]:
    if not PREFIX:
        pytest.skip("JACKFIELD_TEST_AGENTS names no directory in which npm has installed the agents")
    assert PROGRAMS.is_dir(), f"JACKFIELD_TEST_AGENTS: {PROGRAMS} is not there"
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture(scope="session")
def agents(models: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    place = tmp_path_factory.mktemp("agents")
    daemon = agents_daemon(place, user_home(place / "user"), models)
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture
def lab(agents: Daemon, models: ModelServer) -> Iterator[Lab]:
    """Nothing that was told to be said may be left, and nothing else may have been asked."""
    models.forget()
    made = Lab(agents, models, agents.directory / "user")
    yield made
    assert models.leaving == [], "what an agent wanted outside this machine"
    assert models.strange == []
    assert models.replies == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A failed test shows the end of what the daemon printed."""
    report = yield
    daemon = item.funcargs.get("agents") if isinstance(item, pytest.Function) else None
    if report.failed and isinstance(daemon, Daemon):
        report.sections.append(("daemon", daemon.tail()))
    return report
