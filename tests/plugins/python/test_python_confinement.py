"""Hostile programs: what they can reach when they get hold of everything that Python has.

`import` is no border here: programs get at `os`, `ctypes` and all the rest through objects, as in REACH, and it is the
kernel that refuses.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.api import confinement
from jackfield.api.scripts import ScriptData, ScriptError, ScriptResult
from jackfield.api.workflows import Items
from jackfield_python.engine import PythonEngine

REACH = (
    "import random\nos = random._os\nsys = os.sys\nbuiltins = sys.modules['builtins']\nctypes = sys.modules['ctypes']\n"
)
CALL = "libc = ctypes.CDLL(None, use_errno=True)\n"


async def refused(run: Any, source: str) -> ScriptError:
    with pytest.raises(ScriptError) as caught:
        await run(REACH + source)
    return caught.value


FORBIDDEN = [
    "open('/etc/passwd').read()",
    "builtins.open('/etc/passwd').read()",
    "os.open('/etc/passwd', 0)",
    "os.listdir('/')",
    "os.stat('/')",
    "builtins.open('/proc/self/environ').read()",
    "builtins.open('/proc/%d/environ' % os.getppid()).read()",
    "builtins.open('/dev/shm/x', 'w')",
    "builtins.open('/tmp/x', 'w')",
    "os.mkdir('/tmp/made-by-a-program')",
    "os.unlink('/tmp/x')",
    "os.symlink('/etc', '/tmp/link')",
    "os.chmod('/tmp', 0)",
    "os.memfd_create('x')",
    "os.pipe()",
    "os.fork()",
    "os.forkpty()",
    "os.execv('/bin/sh', ['sh'])",
    "os.posix_spawn('/bin/true', ['true'], {})",
    "os.kill(os.getppid(), 9)",
    "os.kill(os.getppid(), 15)",
    "os.killpg(0, 9)",
    "os.kill(-1, 9)",
    "os.setsid()",
    "os.setpgid(0, 0)",
    "os.nice(-5)",
    "os.sched_setaffinity(0, [0])",
    "os.dup(1)",
    "os.chdir('/tmp')",
    "sys.modules['_socket'].socket()",
    "sys.modules['socket'].create_connection(('127.0.0.1', 80))",
    "sys.modules['socket'].socketpair()",
    "sys.modules['socket'].socket(sys.modules['socket'].AF_UNIX)",
    "sys.modules['resource'].setrlimit(sys.modules['resource'].RLIMIT_CPU, (1000, 1000))",
    "sys.modules['threading'].Thread(target=print).start()",
    "builtins.__import__('subprocess').run(['id'])",
    "builtins.__import__('shutil').rmtree('/tmp/x')",
]


@pytest.mark.parametrize("source", FORBIDDEN)
async def test_the_kernel_refuses(run: Any, source: str) -> None:
    module = source.split("'")[1] if source.startswith("sys.modules") else None
    known = "True" if module is None else f"'{module}' in sys.modules"
    error = await refused(run, f"if not {known}:\n    raise PermissionError('not even loaded')\n{source}")
    assert error.kind == "runtime", error.message
    assert any(
        hint in error.message
        for hint in (
            "not permitted",
            "not even loaded",
            "can't start new thread",
            "no files",
            "No module",
            "not allowed to raise",
        )
    ), error.message


SYSTEM_CALLS = {
    "open": 2, "socket": 41, "connect": 42, "sendto": 44, "clone": 56, "fork": 57, "vfork": 58, "execve": 59,
    "kill": 62, "fcntl": 72, "ptrace": 101, "prctl": 157, "tkill": 200, "openat": 257, "unshare": 272,
    "process_vm_readv": 310, "process_vm_writev": 311, "seccomp": 317, "bpf": 321, "userfaultfd": 323,
    "pidfd_send_signal": 424, "io_uring_setup": 425, "clone3": 435, "pidfd_getfd": 438, "landlock_create_ruleset": 444,
}  # fmt: skip


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
async def test_system_calls_by_number(run: Any) -> None:
    source = f"numbers = {SYSTEM_CALLS}\nfound = {{}}\nfor name, number in numbers.items():\n"
    source += (
        "    ctypes.set_errno(0)\n    found[name] = [libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno()]\n"
    )
    result = await run(REACH + CALL + source + "return found")
    assert result.value == {name: [-1, 1] for name in SYSTEM_CALLS}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the bit is x86-64's")
async def test_numbers_of_a_foreign_abi_end_the_program(run: Any) -> None:
    error = await refused(run, CALL + "libc.syscall(0x40000000 | 39)")
    assert error.kind == "crash"
    assert (await run("return 1")).value == 1


async def test_memory_cannot_be_made_executable(run: Any) -> None:
    source = (
        "libc.mmap.restype = ctypes.c_void_p\nmade = libc.mmap(None, 4096, 7, 0x22, -1, 0)\n"
        "plain = libc.mmap(None, 4096, 3, 0x22, -1, 0)\n"
        "return [made == 2 ** 64 - 1, plain != 2 ** 64 - 1, libc.mprotect(ctypes.c_void_p(plain), 4096, 5)]"
    )
    assert (await run(REACH + CALL + source)).value == [True, True, -1]


async def test_nothing_of_the_daemons_environment(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JACKFIELD_ENCRYPTION_KEY", "canary-of-this-test")
    source = (
        "names = dict(os.environ)\nlibc.getenv.restype = ctypes.c_char_p\n"
        "return [names, libc.getenv(b'JACKFIELD_ENCRYPTION_KEY'), libc.getenv(b'HOME')]"
    )
    assert (await run(REACH + CALL + source)).value == [{"TZ": "Europe/Berlin"}, None, None]


async def test_no_descriptor_but_its_own(run: Any) -> None:
    source = (
        "found = []\nfor number in range(200):\n    try:\n        os.write(number, b'')\n        found.append(number)\n"
    )
    source += "    except OSError:\n        pass\nreturn found"
    found = (await run(REACH + source)).value
    assert found[:2] == [1, 2]
    assert len(found) == 3


async def test_a_walk_from_an_empty_tuple(run: Any) -> None:
    source = (
        "kinds = ().__class__.__base__.__subclasses__()\n"
        "loader = next(kind for kind in kinds if kind.__name__ == 'BuiltinImporter')\n"
        "posix = loader.load_module('posix')\nposix.system('touch /tmp/made-by-a-program')\n"
        "posix.open('/etc/passwd', 0)"
    )
    with pytest.raises(ScriptError, match="not permitted"):
        await run(source)
    assert not Path("/tmp/made-by-a-program").exists()


async def test_a_program_that_never_ends(run: Any) -> None:
    begun = time.monotonic()
    with pytest.raises(ScriptError, match=r"did not finish within 0\.5 seconds") as caught:
        await run("while True:\n    pass", timeout=0.5)
    assert caught.value.kind == "timeout"
    assert time.monotonic() - begun < 5
    assert (await run("return 1")).value == 1


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.sleep(60)",
        "try:\n    while True: pass\nfinally:\n    while True: pass",
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
        "return 10 ** 10 ** 10",
        REACH + "sys.modules['_signal'].pthread_sigmask(0, range(1, 64))\nwhile True: pass",
    ],
)
async def test_a_program_that_resists_its_end(run: Any, source: str) -> None:
    with pytest.raises(ScriptError) as caught:
        await run(source, timeout=0.3)
    assert caught.value.kind == "timeout"


MEMORY = [
    "return 'x' * (10 ** 10)",
    "found = []\nwhile True:\n    found.append(bytearray(1 << 20))",
    "found = {}\nfor n in range(10 ** 9): found[n] = str(n)",
    "return list(range(10 ** 9))",
    "x = 'a'\nwhile True: x += x",
]


@pytest.mark.parametrize("source", MEMORY)
async def test_a_program_that_takes_too_much_memory(make_engine: Callable[..., PythonEngine], source: str) -> None:
    engine = make_engine(memory=64)
    data = ScriptData(input=[])
    with pytest.raises(ScriptError) as caught:
        await engine.run(source, data, each=False, timeout=30)
    assert caught.value.kind == "memory", caught.value.message
    assert (await engine.run("return 1", data, each=False, timeout=20)).value == 1


LONG: Items = [{"json": {"n": n, "text": "x" * 100}} for n in range(20_000)]


async def test_memory_grows_with_the_input(make_engine: Callable[..., PythonEngine]) -> None:
    source = 'return [{"json": {**item["json"], "more": 1}} for item in _input.all()]'
    data = ScriptData(input=LONG)
    found = (await make_engine(memory=16).run(source, data, each=False, timeout=30)).value
    assert isinstance(found, list)
    assert found[-1] == {"json": {"n": 19_999, "text": "x" * 100, "more": 1}}
    for bound, remedy in (({"memory_per_input": 0}, "memory"), ({"max_memory": 16}, "max_memory")):
        with pytest.raises(ScriptError) as caught:
            await make_engine(memory=16, **bound).run(source, data, each=False, timeout=30)
        assert caught.value.kind == "memory"
        assert "than the 16 MiB it may have" in caught.value.message
        assert f"raise scripts.python.{remedy}." in caught.value.message


async def test_an_odd_value_among_many_is_named(make_engine: Callable[..., PythonEngine]) -> None:
    source = 'return [{"json": {"n": object() if n == 2500 else float("nan")}} for n in range(3000)]'
    with pytest.raises(ScriptError) as caught:
        await make_engine().run(source, ScriptData(input=[]), each=False, timeout=30)
    assert "the result[2500].json.n is of the type object" in caught.value.message


CRASHES = [
    CALL + "libc.strlen(None)",
    "os._exit(0)",
    "os._exit(7)",
    "os.abort()",
    "sys.setrecursionlimit(10 ** 9)\ndef f(x): return f([x])\nf(1)",
    "os.closerange(0, 100)\nreturn 1",
]


@pytest.mark.parametrize("source", CRASHES)
async def test_a_program_that_ends_its_process(run: Any, source: str) -> None:
    error = await refused(run, source)
    assert error.kind in ("crash", "memory", "runtime")
    assert (await run("return 1")).value == 1


FORGED = [
    'b\'{"value": 1, "logs": 5, "context": [], "static": 7}\'',
    "b'[]'",
    'b\'{"error": {"kind": "busy", "message": null, "line": "x"}}\'',
    'b\'{"error": {"kind": {}, "message": {}, "line": [], "item": {}}}\'',
    "b'nonsense'",
]


@pytest.mark.parametrize("body", FORGED)
async def test_a_forged_answer_harms_nobody_else(run: Any, body: str) -> None:
    source = f"for number in range(3, 200):\n    try:\n        os.write(number, {body})\n    except OSError:\n        pass\nos._exit(0)"  # noqa: E501
    result = ScriptResult(None)
    with contextlib.suppress(ScriptError):
        result = await run(REACH + source)
    assert (result.logs, result.context, result.static) == ((), {}, {})
    assert (await run("return 'fine'")).value == "fine"


async def test_an_endless_answer_ends_the_program(make_engine: Callable[..., PythonEngine]) -> None:
    engine = make_engine(max_result=1)
    source = (
        REACH
        + "for number in range(3, 200):\n    try:\n        while True: os.write(number, b' ' * 65536)\n    except OSError:\n        pass"  # noqa: E501
    )
    with pytest.raises(ScriptError, match=r"more than the 1 MiB of data that it may.*scripts\.python\.max_result"):
        await engine.run(source, ScriptData(input=[]), each=False, timeout=20)


async def test_nothing_leaks_from_one_run_to_the_next(run: Any) -> None:
    spoil = (
        REACH + "import json\njson.loads = json.dumps = None\nbuiltins.leak = 'secret-of-the-first-run'\n"
        "sys.modules['leak'] = 1\nglobals()['x'] = 1\nos.environ['LEAK'] = 'x'\nreturn 1"
    )
    with contextlib.suppress(ScriptError):  # it spoils its own answer, too
        await run(spoil)
    look = (
        "import json\nreturn [callable(json.loads), hasattr(builtins, 'leak'), 'leak' in sys.modules, 'x' in globals(), "  # noqa: E501
        "'LEAK' in os.environ]"
    )
    assert (await run(REACH + look)).value == [True, False, False, False, False]


async def test_the_worker_that_is_forked_for_every_run_never_holds_the_data_of_one(engine: PythonEngine) -> None:
    secret = "canary-" * 5
    data = ScriptData(input=[{"json": {"s": secret}}])
    assert (await engine.run("return items", data, each=False, timeout=20)).value == data.input
    (worker,) = engine._workers.idle
    own = Path("/proc/self"), secret.encode()
    assert _holds(*own)  # the search finds what is there
    assert not _holds(Path(f"/proc/{worker._process.pid}"), secret.encode())


def _holds(process: Path, text: bytes) -> bool:
    """Whether these bytes are anywhere in what the process can write to."""
    with (process / "mem").open("rb", buffering=0) as memory:
        for line in (process / "maps").read_text().splitlines():
            place, rights, *_ = line.split()
            start, end = (int(part, 16) for part in place.split("-"))
            if "w" in rights and "r" in rights:
                memory.seek(start)
                if text in memory.read(end - start):
                    return True
    return False


async def test_random_numbers_differ_from_run_to_run(run: Any) -> None:
    source = "import random, uuid, secrets\nreturn [random.random(), str(uuid.uuid4()), secrets.token_hex(8)]"
    first, second = (await run(source)).value, (await run(source)).value
    assert not set(first) & set(second)


async def test_cancelling_ends_the_program(engine: PythonEngine) -> None:
    task = asyncio.create_task(engine.run("while True: pass", ScriptData(input=[]), each=False, timeout=60))
    async with asyncio.timeout(20):
        while not (busy := tuple(engine._workers.alive)):
            await asyncio.sleep(0.01)
    process = busy[0]._process
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert process.wait(5) == -signal.SIGKILL


async def test_runs_wait_for_a_worker_within_bounds(make_engine: Callable[..., PythonEngine]) -> None:
    engine = make_engine(workers=1, max_waiting=1, max_wait=0.2)
    data = ScriptData(input=[])
    busy = asyncio.create_task(engine.run("import time\ntime.sleep(1)\nreturn 1", data, each=False, timeout=30))
    async with asyncio.timeout(20):
        while not engine._workers.alive:
            await asyncio.sleep(0.01)
    late = asyncio.create_task(engine.run("return 2", data, each=False, timeout=5))
    await asyncio.sleep(0)
    with pytest.raises(ScriptError, match="Too many programs") as refused_at_once:
        await engine.run("return 3", data, each=False, timeout=5)
    assert refused_at_once.value.kind == "busy"
    with pytest.raises(ScriptError, match="waited too long"):
        await late
    assert (await busy).value == 1


async def test_workers_are_gone_after_the_close(make_engine: Callable[..., PythonEngine]) -> None:
    engine = make_engine(workers=2)
    data = ScriptData(input=[])
    await asyncio.gather(*(engine.run("return 1", data, each=False, timeout=20) for _ in range(2)))
    processes = [worker._process for worker in engine._workers.idle]
    assert len(processes) == 2
    await engine.close()
    assert [process.poll() for process in processes] == [-signal.SIGKILL] * 2


async def test_a_worker_that_died_is_replaced(engine: PythonEngine) -> None:
    data = ScriptData(input=[])
    await engine.run("return 1", data, each=False, timeout=20)
    (worker,) = engine._workers.idle
    worker._process.kill()
    worker._process.wait()
    assert (await engine.run("return 2", data, each=False, timeout=20)).value == 2


async def test_without_a_filter_nothing_runs(engine: PythonEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that cannot confine says so; the daemon then refuses."""
    from jackfield_python import worker

    monkeypatch.setattr(worker, "CONFINED", b"?")
    with pytest.raises(ScriptError, match="no seccomp filter"):
        await engine.run("return 1", ScriptData(input=[]), each=False, timeout=20)


@pytest.mark.parametrize(("mode", "expected"), [(0, True), (2, True), (1, False), (-1, False)])
def test_a_container_with_a_filter_of_its_own_can_be_confined_further(
    mode: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinement, "_prctl", lambda *_: mode)
    assert confinement.can_confine() is expected


@pytest.mark.parametrize("machine", ["riscv64", "i686", "arm64e"])
def test_machines_without_a_list_of_calls_are_refused(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = os.uname_result(("Linux", "here", "6.1", "1", machine))
    monkeypatch.setattr(os, "uname", lambda: kernel)
    assert not confinement.can_confine()
