"""Whoever a daemon has started is not its owner on loopback, and not that of another daemon of the account either."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon, poll

from .shell_daemon import Shells

ASKS = """
import sys, urllib.error, urllib.request
ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
codes = []
for address in sys.argv[2:]:
    try:
        codes.append(str(ask(address + "/api/profiles").status))
    except urllib.error.HTTPError as exc:
        codes.append(str(exc.code))
open(sys.argv[1], "w").write(" ".join(codes) + ".")
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")


def test_a_program_in_a_terminal_needs_a_credential(tmp_path: Path) -> None:
    shells, other = Shells(Daemon(tmp_path / "one")), Daemon(tmp_path / "other")
    try:
        other.start()
        addresses = [shells.daemon.base_url, other.base_url]
        assert [daemon.client().get("/api/profiles").status_code for daemon in (shells.daemon, other)] == [200, 200]
        told = tmp_path / "told"
        shells.start(shlex.join([sys.executable, "-c", ASKS, str(told), *addresses]))
        assert (
            poll(lambda: told.read_text() if told.exists() else "", "the program has asked", timeout=30) == "401 401."
        )
    finally:
        shells.daemon.close()
        other.close()


def test_a_terminal_that_outlives_its_daemon_needs_a_credential_from_the_next(tmp_path: Path) -> None:
    shells = Shells(Daemon(tmp_path / "one"))
    try:
        told, goes_on = tmp_path / "told", tmp_path / "goes-on"
        asks = shlex.join([sys.executable, "-c", ASKS, str(told), shells.daemon.base_url])
        waits = f"until [ -e {shlex.quote(str(goes_on))} ]; do sleep 0.05; done"
        session = shells.start(f"{waits}; {asks}; exec cat", persist=True)
        shells.daemon.kill()
        shells.daemon.start()
        goes_on.touch()
        answer = poll(lambda: told.read_text() if told.exists() else "", "the program has asked", timeout=30)
        shells.api = shells.daemon.client()
        shells.end(session)
        assert answer == "401."
    finally:
        shells.daemon.close()
