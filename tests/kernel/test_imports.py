"""Modules that a command and a start import: counted, since seconds say little on a shared machine. Whoever raises a
bound has looked whether the new module could be imported when it is used first."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from jackfield.testing.daemon import Daemon

LATER = frozenset({"asyncio", "cryptography", "http.client", "pydantic", "quart", "rich", "sqlite3", "ssl", "tomllib"})
"""Heavy ones that no command needs to tell of itself."""
IDLE = frozenset(
    {"aiohttp", "bcrypt", "cryptography", "flask", "jinja2", "jwt", "passlib", "quart", "rich", "werkzeug"}
)
"""Heavy ones that no daemon needs before somebody asks the management API, logs in or runs something."""
MOST = 930
"""Modules of a daemon that is ready; 902 when this was written, some ten more on a busy machine: work behind the start
is ahead of it there."""
IMPORTED = re.compile(r"import time: +\d+ \| +\d+ \| +(\S+)")


def imported(*arguments: str) -> frozenset[str]:
    """The modules that are there once the command has ended."""
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        f"from jackfield.cli.main import main; main({list(arguments)})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return frozenset(ended.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["--version"], 200), (["serve", "--help"], 200), (["--help"], 420), (["webhook", "--help"], 420)],
)
def test_a_command_that_tells_of_itself_imports_little(arguments: list[str], most: int) -> None:
    modules = imported(*arguments)
    assert not modules & LATER
    assert len(modules) <= most


def ended(daemon: Daemon) -> None:
    """Started, and stopped."""
    try:
        daemon.start().stop()
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[str]]:
    """Modules that a daemon of an earlier directory has imported when it is ready, and until its end, unasked."""
    directory = tmp_path_factory.mktemp("idle")
    again = Daemon(directory, env={"PYTHONPROFILEIMPORTTIME": "1"})
    ended(Daemon(directory))  # it makes the administrator, at its end at the latest
    again.output.unlink()
    ended(again)
    ready, _, rest = again.output.read_text().partition("is ready on")
    assert rest
    return IMPORTED.findall(ready), IMPORTED.findall(ready + rest)


def test_a_start_imports_little(idle: tuple[list[str], list[str]]) -> None:
    modules, _ = idle
    assert len(modules) <= MOST


def test_an_idle_daemon_has_nothing_that_nobody_has_asked_for(idle: tuple[list[str], list[str]]) -> None:
    _, modules = idle
    assert "jackfield.http.app" in modules
    assert sorted({name.partition(".")[0] for name in modules} & IDLE) == []
