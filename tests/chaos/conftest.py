"""One harness for what may befall a daemon: `tox run -e chaos`. Not collected unless this directory is named.

Each scenario is a test with the mark `scenario(name, count)`: how often it does what it does, unless
`--scenario NAME=COUNT` says otherwise. It notes figures, which are printed at the end, and fails on a violation.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.testing.nats import NatsServer, NoNats, nats_server

from ..e2e.conftest import StartDaemon, _factory
from .effects import Effects, receiver
from .figures import Figures, keep

_ROWS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("chaos")
    group.addoption(
        "--scenario", action="append", default=[], metavar="NAME[=COUNT]", help="only these scenarios; may be repeated"
    )
    group.addoption("--seed", type=int, default=None, help="of all that is random; default: another one each time")
    group.addoption("--write", action="store_true", help="keep the figures in docs/reliability.md")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "scenario(name, count): a scenario of the harness and its default count")
    config.stash[_ROWS] = []


def wanted(config: pytest.Config) -> dict[str, int | None]:
    """The chosen scenarios and their counts. Raises UsageError."""
    found: dict[str, int | None] = {}
    for asked in config.getoption("--scenario"):
        name, _, count = asked.partition("=")
        if count and not (count.isdecimal() and int(count)):
            raise pytest.UsageError(f"--scenario {asked}: {count} is no count; give a number above 0")
        found[name] = int(count) if count else None
    return found


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    asked = wanted(config)
    if not asked:
        return
    marks = {item: mark for item in items if (mark := item.get_closest_marker("scenario"))}
    names = sorted({mark.args[0] for mark in marks.values()})
    if unknown := asked.keys() - names:
        raise pytest.UsageError(f"--scenario {min(unknown)}: there is no such scenario; there are {', '.join(names)}")
    left = [item for item in items if item not in marks or marks[item].args[0] not in asked]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.section("figures")
    for row in config.stash[_ROWS]:
        terminalreporter.write_line(row)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--write") and session.config.stash[_ROWS]:
        keep(session.config.stash[_ROWS])


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    """The scenario's; its count is the chosen one."""
    name, count = request.node.get_closest_marker("scenario").args
    found = Figures(name, wanted(request.config).get(name) or count)
    yield found
    row = found.row() + "".join(f" VIOLATED: {kind} {len(which)}" for kind, which in found.violations.items())
    print(f"\n{row}")
    if found.values:
        request.config.stash[_ROWS].append(row)


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    chosen: int | None = request.config.getoption("--seed")
    found = int.from_bytes(os.urandom(2)) if chosen is None else chosen
    print(f"seed {found}")
    return found


@pytest.fixture
def effects() -> Iterator[Effects]:
    with receiver() as found:
        yield found


@pytest.fixture
def new_daemon(tmp_path: Path) -> Iterator[StartDaemon]:
    yield from _factory(tmp_path)


@pytest.fixture
def nats() -> Iterator[NatsServer]:
    pytest.importorskip("nats")
    try:
        with nats_server() as server:
            yield server
    except NoNats as exc:
        pytest.skip(str(exc))


@pytest.fixture(autouse=True)
def tidy(tmp_path: Path) -> Iterator[None]:
    """Long runs leave gigabytes; a failed one too."""
    yield
    shutil.rmtree(tmp_path, ignore_errors=True)
