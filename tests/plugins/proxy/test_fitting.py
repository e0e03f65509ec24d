"""A proxy's process does not start with an aiohttp that its code was not written for."""

from __future__ import annotations

import subprocess
import sys
from types import FunctionType

import pytest

from jackfield_proxy.child.clients.answering import StreamedAnswer, WholeAnswer
from jackfield_proxy.child.clients.connections import ClientConnection
from jackfield_proxy.child.process import fitting

RUN = """
import runpy, sys
from aiohttp import web
{change}
sys.argv = ["child"]
runpy.run_module("jackfield_proxy.child", run_name="__main__")
"""


def test_the_installed_aiohttp_fits() -> None:
    assert fitting.problem() is None


@pytest.mark.parametrize("own", [ClientConnection, StreamedAnswer, WholeAnswer])
def test_every_method_that_is_replaced_is_looked_at(own: type) -> None:
    looked = {part.reference for part in fitting.PARTS}
    functions = [name for name, found in vars(own).items() if isinstance(found, FunctionType)]
    theirs = {name: base for base in reversed(own.__mro__[1:-1]) for name in functions if name in vars(base)}
    assert theirs
    for name, base in theirs.items():
        assert f"aiohttp.web:{base.__name__}.{name}" in looked


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("del web.RequestHandler.finish_response", "RequestHandler.finish_response is not there"),
        ("web.StreamResponse.write = lambda self, data, more: None", "takes (self, data, more) and not (self, data)"),
    ],
)
def test_a_process_with_a_changed_aiohttp_says_so_and_ends(change: str, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(change=change)], input="", capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert told in done.stderr
    assert "aiohttp 3." in done.stderr
    assert "Traceback" not in done.stderr
    assert '"failed"' in done.stdout
