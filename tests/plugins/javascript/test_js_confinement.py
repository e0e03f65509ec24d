"""The seal of a worker: the kernel refuses what a script that has taken over the process would try next."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import jackfield_javascript
from jackfield.api import confinement
from jackfield.api.scripts import ScriptData, ScriptError
from jackfield_javascript import engine as engine_module
from jackfield_javascript import worker as worker_module
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

pytestmark = pytest.mark.skipif(not confinement.can_confine(), reason="no seccomp filter on this system")

TAKEN_OVER = """
import ctypes, errno, json, os, sys
sys.path.insert(0, {folder!r})
import child
libc = ctypes.CDLL(None, use_errno=True)
import socket, subprocess

def attempts(scripts):
    found = {{}}
    for name, attempt in {{
        "open": lambda: open("/etc/passwd"),
        "stat": lambda: os.stat("/"),
        "create": lambda: os.open("/tmp/made-by-a-script", os.O_CREAT | os.O_WRONLY),
        "socket": lambda: socket.socket(),
        "pair": lambda: socket.socketpair(),
        "fork": lambda: os.fork(),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "kill": lambda: os.kill(os.getppid(), 0),
        "dup": lambda: os.dup(0),
        "memfd": lambda: os.memfd_create("x"),
    }}.items():
        try:
            found[name] = repr(attempt())
        except OSError as exc:
            found[name] = exc.errno
    for name, number in {numbers!r}.items():
        ctypes.set_errno(0)
        libc.syscall(number, 0, 0, 7, 34, -1, 0)
        found[name] = ctypes.get_errno()
    child.send(json.dumps(found))

child.serve = attempts
child.main(*sys.argv[1:])
"""
NUMBERS = {"mmap": 9, "mprotect": 10, "ptrace": 101, "prctl": 157, "prlimit64": 302, "bpf": 321, "io_uring_setup": 425}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("kind", ["expressions", "code"])
@pytest.mark.parametrize("parts", [(), sorted(engine_module.PARTS)], ids=["plain", "whole"])
def test_a_worker_that_was_taken_over_reaches_nothing(kind: str, parts: tuple[str, ...]) -> None:
    limits = {"cacheSize": 8, "logLines": 8, "logLength": 80}
    command = engine_module._command(kind, 64 << 20, limits, parts)
    script = TAKEN_OVER.format(folder=str(Path(jackfield_javascript.__file__).parent), numbers=NUMBERS)
    ours, theirs = socket.socketpair()
    given = command[command.index("-S") + 2 :]
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", script, *given], stdin=theirs) as process, ours:
        theirs.close()
        ours.settimeout(30)
        received = b""
        while part := ours.recv(65536):
            received += part
        process.wait(30)
    found = json.loads(received[received.index(b"{") :])
    assert found == dict.fromkeys(found, 1)  # EPERM
    assert len(found) == 10 + len(NUMBERS)


@pytest.fixture
async def code() -> AsyncIterator[JavaScriptEngine]:
    made = JavaScriptEngine(JavaScriptSettings(expression_workers=1, code_workers=1), SharedWorkerPool())
    yield made
    await made.close()


NEEDY = [
    ("return DateTime.fromISO('2024-01-02T03:04:05Z').setZone('Asia/Tokyo').toISO()", "2024-01-02T12:04:05.000+09:00"),
    ("return new Intl.DateTimeFormat('de', {month: 'long'}).format(new Date(0))", "Januar"),
    ("return new Intl.NumberFormat('fr').format(1234.5)", "1\u202f234,5"),
    ("return new Intl.DateTimeFormat('xx-none').resolvedOptions().locale", "en-US"),
    ("return DateTime.now().setZone('No/Such').isValid", False),
    ("return require('crypto').createHash('sha256').update('').digest('hex').slice(0, 8)", "e3b0c442"),
]


async def test_a_part_that_a_script_needs_comes_with_the_next_worker(code: JavaScriptEngine) -> None:
    data = ScriptData(input=[{"json": {}}], timezone="Europe/Berlin")
    for source, expected in NEEDY:
        assert (await code.run(source, data, each=False, timeout=30)).value == expected
    kept = code._code.alive
    for source, expected in NEEDY:
        assert (await code.run(source, data, each=False, timeout=30)).value == expected
    assert code._code.alive == kept, "a worker that has everything stays"


async def test_a_worker_that_only_asks_for_others_is_given_up(
    code: JavaScriptEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asks(request: bytes, timeout: float, more_memory: int = 0) -> bytes:
        return worker_module.NEEDS + b"../../etc/passwd"

    monkeypatch.setattr(code._code, "call", asks)
    with pytest.raises(ScriptError, match="No worker has what the script needs"):
        await code.run("return 1", ScriptData(input=[]), each=False, timeout=5)
    assert code._parts == set()


async def test_without_a_filter_nothing_runs(code: JavaScriptEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that cannot be sealed says so, and the error names the reason."""
    monkeypatch.setattr(worker_module, "READY", b"?")
    with pytest.raises(ScriptError, match="no seccomp filter"):
        await code.run("return 1", ScriptData(input=[]), each=False, timeout=20)
