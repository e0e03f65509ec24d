"""Modules that a command and a start import: counted, since seconds say little on a shared machine. Whoever raises a
bound has looked whether the new module could be imported when it is used first."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATER = frozenset({"asyncio", "cryptography", "http.client", "pydantic", "quart", "rich", "sqlite3", "ssl", "tomllib"})
"""Heavy ones that no command needs to tell of itself."""


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
    [(["--version"], 200), (["serve", "--help"], 200), (["--help"], 380), (["webhook", "--help"], 380)],
)
def test_a_command_that_tells_of_itself_imports_little(arguments: list[str], most: int) -> None:
    modules = imported(*arguments)
    assert not modules & LATER
    assert len(modules) <= most
