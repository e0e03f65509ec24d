"""n8n's own engine beside Jackfield: `tox run -e n8n`. Not collected unless this directory is named.

`--family TEXT` runs the families whose names contain it; `--write` keeps the table in docs/n8n.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import engines
from .comparing import Comparison
from .engines import Engine
from .figures import Figures, keep, rows
from .installing import NotThere
from .registry import FAMILIES

# Servers that tests share.
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "plugins" / part) for part in ("integrations", "nodes", "ai")]

from server_fixtures import certificate, imap, kafka, mqtt, postgres, rabbitmq, redis  # noqa: E402 - beside the tests of the plugins

__all__ = ["certificate", "imap", "kafka", "mqtt", "postgres", "rabbitmq", "redis"]
STARTED: pytest.StashKey[float] = pytest.StashKey()
FOUND: pytest.StashKey[list[Figures]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("n8n")
    group.addoption("--family", action="append", default=[], metavar="TEXT", help="only these; may be repeated")
    group.addoption("--within", type=float, metavar="SECONDS", help="tests that would begin later are skipped")
    group.addoption("--write", action="store_true", help="keep the figures in docs/n8n.md of the families that ran")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FOUND] = []
    config.stash[STARTED] = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what would begin after the time that is given for all."""
    within = item.config.getoption("--within")
    spent = time.monotonic() - item.config.stash[STARTED]
    if within is not None and spent > within:
        pytest.skip(f"{spent:.0f} s have gone, of {within:.0f}: NOT COMPARED")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "family" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--family")
        chosen = [family for family in FAMILIES if not asked or any(text in family.name for text in asked)]
        metafunc.parametrize("family", chosen, ids=[family.name for family in chosen])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    found = config.stash[FOUND]
    if found:
        terminalreporter.section("beside n8n: family, cases, equal, listed")
        for row in rows(found):
            terminalreporter.write_line(row)


def pytest_sessionfinish(session: pytest.Session) -> None:
    found = session.config.stash[FOUND]
    if session.config.getoption("--write") and found:
        keep(found, [family.name for family in FAMILIES])


@pytest.fixture(scope="session")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Engine]]:
    """Jackfield and n8n."""
    directory = tmp_path_factory.mktemp("n8n")
    try:
        with engines.n8n(directory) as theirs, engines.jackfield(directory / "jackfield") as ours:
            yield ours, theirs
    except NotThere as exc:
        pytest.skip(str(exc))


@pytest.fixture(scope="session")
def comparison(sides: tuple[Engine, Engine]) -> Comparison:
    return Comparison(*sides)


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> list[Figures]:
    """Those of the families that have run."""
    return request.config.stash[FOUND]
