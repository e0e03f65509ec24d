"""Real daemons in processes of their own, ended with the test that started them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon

StartDaemon = Callable[..., Daemon]
_running: list[Daemon] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A failed test shows the end of what its daemons printed."""
    report = yield
    if report.failed:
        for daemon in _running:
            report.sections.append((f"daemon on port {daemon.port}", daemon.tail()))
    return report


def _factory(directory: Path) -> Iterator[StartDaemon]:
    made: list[Daemon] = []
    numbers = itertools.count()

    def make(
        settings: str = "",
        *,
        env: Mapping[str, str | None] | None = None,
        arguments: Sequence[str] = (),
        prefix: Sequence[str] = (),
        start: bool = True,
        directory: Path = directory,
    ) -> Daemon:
        place = directory / f"daemon{next(numbers)}"
        daemon = Daemon(place, settings=settings, env=env, arguments=arguments, prefix=prefix)
        made.append(daemon)
        _running.append(daemon)
        return daemon.start() if start else daemon

    try:
        yield make
    finally:
        for daemon in made:
            daemon.close()
            _running.remove(daemon)


@pytest.fixture(scope="session", params=["hypercorn", "uvicorn"])
def server(request: pytest.FixtureRequest) -> str:
    """The HTTP server of a daemon. What a test that takes it says of HTTP holds for both."""
    name = str(request.param)
    pytest.importorskip(name)
    return name


@pytest.fixture
def new_daemon(tmp_path: Path) -> Iterator[StartDaemon]:
    """Start daemons for one test."""
    yield from _factory(tmp_path)


@pytest.fixture(scope="module")
def module_daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartDaemon]:
    """Start daemons for the tests of a module."""
    yield from _factory(tmp_path_factory.mktemp("module"))


@pytest.fixture(scope="module")
def served(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One running daemon over each HTTP server for the tests of a module."""
    factory = _factory(tmp_path_factory.mktemp("served"))
    yield next(factory)(arguments=["--server", server])
    next(factory, None)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One running daemon with default settings for the tests of a module; they share no state."""
    factory = _factory(tmp_path_factory.mktemp("module"))
    yield next(factory)()
    next(factory, None)
