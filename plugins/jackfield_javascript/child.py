"""The worker process: evaluates expressions, or runs Code nodes, one request after another.

Run by path with `python -I -S`, so that it starts in milliseconds and holds nothing of the daemon: it imports no other
module of the project. Standard input is a stream socket to the daemon. A frame is the length of its body and a count of
seconds (two big-endian 32-bit numbers), then the body, UTF-8. The first frame that is sent says that the worker is
ready; afterwards each frame received is answered by one frame. End of stream ends the process.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _quickjs import Context

MIB = 1 << 20
STACK = MIB
PRELUDE = Path(__file__).with_name("prelude")
SHARED = ("base", "text", "datetime", "data")
FILES = {"expressions": (*SHARED, "extensions", "source", "sandbox"), "code": (*SHARED, "url", "modules", "code")}
EVALUATIONS = 10_000
BIG = 16 * MIB


def confine(parent: int, memory: int) -> None:
    """Die with the parent, never gain rights, and take no more than this many bytes, no file, no process."""
    import ctypes

    libc = ctypes.CDLL(None)
    set_death_signal, set_no_new_privileges = 1, 38
    if hasattr(libc, "prctl"):
        libc.prctl(set_death_signal, 9, 0, 0, 0)
        libc.prctl(set_no_new_privileges, 1, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    limits = {
        resource.RLIMIT_AS: 4 * memory + 512 * MIB,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 16,
        resource.RLIMIT_NPROC: 0,
    }
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def limit_cpu(seconds: int) -> None:
    """At most so many further seconds of processor time, should nobody else end the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = math.ceil(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))


def hash_bytes(algorithm: str, key: str | None, data: str) -> str:
    """`=` and the hex digest of hex data; else what is wrong. key: hex; makes it an HMAC."""
    import hashlib
    import hmac

    name = algorithm.lower().replace("-", "") if algorithm[:4].lower() == "sha-" else algorithm.lower()
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        return f"Unknown digest: {algorithm[:40]}"
    plain = bytes.fromhex(data)
    if key is None:
        return "=" + hashlib.new(name, plain, usedforsecurity=False).hexdigest()
    return "=" + hmac.new(bytes.fromhex(key), plain, name).hexdigest()


def random_hex(size: int) -> str:
    return os.urandom(max(0, min(int(size), MIB))).hex()


def zone_offset(zone: str, seconds: float) -> float | None:
    """Minutes east of UTC at this Unix time; None for an unknown zone."""
    from datetime import datetime
    from zoneinfo import ZoneInfo

    try:
        shift = datetime.fromtimestamp(seconds, ZoneInfo(zone)).utcoffset()
    except (ValueError, OverflowError, OSError, LookupError):
        return None
    return None if shift is None else shift.total_seconds() / 60


HOST: Mapping[str, Callable[..., object]] = {
    "hashBytes": hash_bytes,
    "randomHex": random_hex,
    "zoneOffset": zone_offset,
}


class Prelude:
    """Makes contexts for one kind of script. limits: what the JavaScript of the prelude reads."""

    def __init__(self, kind: str, memory: int, limits: Mapping[str, int]) -> None:
        self._sources = [(PRELUDE / f"{name}.js").read_text("utf-8") for name in FILES[kind]]
        self.memory = memory
        self._limits = json.dumps(limits)

    def load(self, *names: str) -> tuple[Context, list[Callable[..., object]]]:
        """A fresh context, and these functions of its prelude. They are valid while the context is kept."""
        from _quickjs import Context

        context = Context()
        context.set_memory_limit(self.memory)
        context.set_max_stack_size(STACK)
        for name, function in HOST.items():
            context.add_callable(name, function)
        kit = context.eval(f"({{ host: {{ {', '.join(HOST)} }}, limits: {self._limits} }})")
        context.eval(f"for (const name of {json.dumps(list(HOST))}) delete globalThis[name]")
        for source in self._sources:
            context.eval(source)(kit)
        find = context.eval("(kit, name) => kit[name]")
        return context, [find(kit, name) for name in names]


class Expressions:
    """One context for many evaluations. `renew` replaces it when it is spent: after an error of its own, after one that
    held much, and now and then, so that nothing piles up."""

    def __init__(self, prelude: Prelude) -> None:
        self._prelude = prelude
        self._load()

    def _load(self) -> None:
        self._context, (self._evaluate,) = self._prelude.load("evaluate")
        self._left = EVALUATIONS

    def answer(self, text: str) -> str:
        self._left -= 1 + len(text) * EVALUATIONS // BIG
        found = str(self._evaluate(text))
        if found.startswith("!"):
            self._left = 0
        return found.removeprefix("!")

    def renew(self, failed: bool) -> None:
        if failed or self._left <= 0:
            self._load()


class Code:
    """A fresh context for every run; the next one is made while nobody waits for it."""

    def __init__(self, prelude: Prelude) -> None:
        self._prelude = prelude
        self._load()

    def _load(self) -> None:
        self._context, (self._start, self._step) = self._prelude.load("start", "step")

    def answer(self, text: str) -> str:
        self._start(text)
        while True:
            while self._context.execute_pending_job():
                pass
            state = self._step()
            if isinstance(state, str):
                return state
            if state is None:
                raise self._stuck()
            time.sleep(float(state) / 1000)  # type: ignore[arg-type]

    def _stuck(self) -> Exception:
        """Without memory the engine can't even say that an awaited promise has failed."""
        if self._context.memory()["malloc_size"] > self._prelude.memory // 2:
            return MemoryError()
        return RuntimeError("The script waits for something that never happens.")

    def renew(self, failed: bool) -> None:
        self._load()


def failure(exc: BaseException) -> str:
    """The answer to a request that failed outside of the script's own error handling."""
    message = str(exc).split("\n    at ", maxsplit=1)[0].strip()
    if isinstance(exc, MemoryError) or message == "null" or "out of memory" in message:
        kind, message = "memory", "The script needs more memory than it may have."
    else:
        kind, message = "runtime", message or "The script failed without a message."
    return json.dumps({"error": {"kind": kind, "message": message, "line": None}})


def read(size: int) -> bytes:
    """Exactly so many bytes of standard input. Raises EOFError."""
    parts = []
    while size:
        part = os.read(0, min(size, MIB))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send(text: str) -> None:
    body = text.encode("utf-8", "replace")
    frame = memoryview(len(body).to_bytes(4, "big") + bytes(4) + body)
    while frame:
        frame = frame[os.write(0, frame) :]


def serve(scripts: Expressions | Code) -> None:
    while True:
        head = read(8)
        limit_cpu(int.from_bytes(head[4:], "big"))
        body = read(int.from_bytes(head[:4], "big"))
        failed = False
        try:
            answer = scripts.answer(body.decode())
        except Exception as exc:
            failed, answer = True, failure(exc)
        send(answer)
        scripts.renew(failed)


def main(kind: str, parent: str, packages: str, memory: str, limits: str) -> None:
    """packages: the directory that holds `_quickjs`. memory: bytes for the JavaScript."""
    sys.path.append(packages)
    confine(int(parent), int(memory))
    prelude = Prelude(kind, int(memory), json.loads(limits))
    scripts = Expressions(prelude) if kind == "expressions" else Code(prelude)
    send("ready")
    with contextlib.suppress(EOFError, ConnectionError):
        serve(scripts)


if __name__ == "__main__":
    main(*sys.argv[1:])
