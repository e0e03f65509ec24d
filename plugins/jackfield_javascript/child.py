"""The worker process: evaluates expressions, or runs Code nodes, one request after another.

Run by path with `python -I -S`, so that it starts in milliseconds and holds nothing of the daemon. Of the project it
imports `jackfield.api.confinement` alone. Before it says that it is ready it seals itself. From then on it opens no
file, and a part that it had no order to load makes it ask for another worker (`PARTS`).

Standard input is a stream socket to the daemon, with the frames of `jackfield.api.scripting.frames`. The first one that
is sent says that the worker is ready. Expressions come in one frame and are answered by one. For a Code node a first
frame says how many follow, which are received as the script asks for them. Its list goes back in frames as it is
written, then a last one. End of stream ends the process.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import resource
import signal
import sys
import time
import types
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _quickjs import Context

    from jackfield.api.scripting.frames import WorkerPipe

MIB = 1 << 20
STACK = MIB
HERE = Path(__file__).parent
PRELUDE = HERE / "prelude"
SHARED = ("base", "text", "data")
PARTS = ("hashing", "zones", "dates", "numbers")
"""Modules of `host` that cost time and memory. One that is missing when a script needs it cannot be loaded any more.
The answer is its name behind `NEEDS`, the process ends, and the daemon asks a worker that has it."""
NEEDS = "?"
LATER = {
    "intl": "prelude/intl.js",
    "dates": "prelude/dates.js",
    "url": "prelude/url.js",
    "letters": "prelude/letters.js",
    "collation": "prelude/collation.js",
    "vendor/luxon": "vendor/luxon.js",
    "vendor/jmespath": "vendor/jmespath.js",
}
"""The parts that few scripts use: compiled when the first one does."""
METHODS = ("text_methods", "list_methods", "value_methods", "date_methods")
FILES = {
    "expressions": (*SHARED, *METHODS, "source", "rewriting", "extensions", "sandbox"),
    "code": (*SHARED, "json_errors", "calls", "wording", "v8", "url", "form_data", "modules", "outside", "code"),
}
EVALUATIONS = 10_000
BIG = 16 * MIB
UTC = frozenset({"UTC", "GMT", "UCT", "Zulu"})


def as_packages(api: Path) -> None:
    """Make `jackfield.api` importable without running an `__init__`, which belongs to the daemon."""
    for name, folder in (("jackfield", api.parent), ("jackfield.api", api)):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


def limit_cpu(seconds: int) -> None:
    """At most that many further seconds of processor time, should nobody else end the process. A timer, because a
    sealed process changes no limits."""
    signal.setitimer(signal.ITIMER_PROF, seconds + 1)


def random_hex(size: int) -> str:
    return os.urandom(max(0, min(int(size), MIB))).hex()


def own_zone() -> str:
    """The process's own time zone."""
    named = os.environ.get("TZ", "").removeprefix(":")
    found = named or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    if found.removeprefix("Etc/") in UTC or not found or found.startswith("/"):
        return "UTC"
    return found


def local_zone(seconds: float) -> str:
    """The English name of the process's own time zone at this Unix time."""
    zone = own_zone()
    if zone == "UTC":
        return "Coordinated Universal Time"
    try:
        return str(part("dates").zone_name(zone, seconds * 1000))
    except (LookupError, ValueError, OSError):
        return time.tzname[time.localtime(0).tm_isdst > 0]


@functools.cache
def text_of(name: str) -> str:
    """The source of a part of the prelude that a script needs. All of them are read before the process is sealed."""
    return (HERE / LATER[name]).read_text("utf-8")


def load_host() -> None:
    """Make the package `host` beside this file importable, which is on no path: the rest of the project stays out."""
    spec = spec_from_file_location("host", HERE / "host/__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError("host")
    sys.modules["host"] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules["host"])


def part(name: str) -> Any:  # a module, whose members no type describes
    """A module of `host`. Where it was not loaded the process ends: a script cannot catch that and go on without."""
    if f"host.{name}" not in sys.modules:
        send(NEEDS + name)
        os._exit(0)
    return sys.modules[f"host.{name}"]


def later(module: str, function: str) -> Callable[..., object]:
    """A function of a module that is loaded when it is called first."""
    return lambda *values: getattr(part(module), function)(*values)


HOST: Mapping[str, Callable[..., object]] = {
    "hashBytes": later("hashing", "hash_bytes"),
    "deriveKey": later("hashing", "derive_key"),
    "randomHex": random_hex,
    "zoneOffset": later("zones", "zone_offset"),
    "localZone": local_zone,
    "textOf": text_of,
    "formatDate": later("dates", "format_date"),
    "resolveDate": later("dates", "resolve"),
    "formatNumber": later("numbers", "format_number"),
    "resolveNumber": later("numbers", "resolve_number"),
    "pluralCategory": later("numbers", "plural"),
    "relativeTime": later("numbers", "relative"),
    "joinList": later("numbers", "join_list"),
    "displayName": later("numbers", "display_name"),
}


def unless_refused(function: Callable[..., object]) -> Callable[..., object]:
    """The same, but None for values that it cannot work with: the engine cannot carry on after an exception."""

    def call(*values: object) -> object:
        try:
            return function(*values)
        except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError):
            return None

    return call


def worker_pipe() -> WorkerPipe:
    from jackfield.api.scripting.frames import WorkerPipe  # `main` says where it is

    return WorkerPipe(0)


class PulledLines:
    """The lines of the request that a Code node's script has, received when it first asks for them, and the way back
    for its list. The script takes no harm from either: where one ends, the process does."""

    def __init__(self) -> None:
        self.pipe = worker_pipe()
        self._left = 0
        self._items = 0
        self.functions: Mapping[str, Callable[..., object]] = {
            "nextLine": self._next,
            "itemsOfLine": lambda: self._items,
            "giveRows": self._give,
        }

    def begin(self) -> int:
        """Bytes of the next request's lines. Raises EOFError."""
        from jackfield.api.scripting.frames import TOTAL  # as above

        first = self.pipe.receive()
        limit_cpu(first.number)
        size, self._left = TOTAL.unpack(first.body)
        return int(size)

    def end(self) -> None:
        """Let go of the lines that nobody has asked for. Raises EOFError."""
        while self._left:
            self._left -= 1
            self.pipe.receive()

    def _next(self) -> str:
        try:
            line = self.pipe.receive()
            self._left, self._items = self._left - 1, line.number
            return line.body.decode()
        except (EOFError, OSError):
            os._exit(0)
        except MemoryError as exc:
            send(failure(exc))
            os._exit(0)

    def _give(self, text: str, count: float) -> None:
        """Raises ValueError: a frame without elements would end the answer, and the next one would begin behind it."""
        if not count >= 1:
            raise ValueError("A part of a list has elements.")
        try:
            self.pipe.send(text.encode("utf-8", "replace"), int(count))
        except OSError:
            os._exit(0)
        except MemoryError as exc:
            send(failure(exc))
            os._exit(0)


class Prelude:
    """Makes contexts for one kind of script. limits: what the JavaScript of the prelude reads; host: functions that
    this kind has beside those of `HOST`."""

    def __init__(
        self, kind: str, memory: int, limits: Mapping[str, int], host: Mapping[str, Callable[..., object]]
    ) -> None:
        self._sources = [(PRELUDE / f"{name}.js").read_text("utf-8") for name in FILES[kind]]
        self.memory = memory
        self.most = max(memory, limits.get("maxMemory", 0))
        self._per_mib = limits.get("memoryPerMiB", 0)
        self._limits = json.dumps({**limits, "zone": own_zone()})
        self._host = {**{name: unless_refused(function) for name, function in HOST.items()}, **host}

    def allowed(self, size: int) -> int:
        """Bytes of memory for a script whose request has that many: more than `memory` for a long input."""
        return min(self.memory + size * self._per_mib // MIB, self.most)

    def load(self, *names: str) -> tuple[Context, list[Callable[..., object]]]:
        """A fresh context, and these functions of its prelude. They are valid while the context is kept."""
        from _quickjs import Context  # `main` says where it is; in this process nothing else is on the path

        context = Context()
        context.set_memory_limit(self.memory)
        context.set_max_stack_size(STACK)
        for name, function in self._host.items():
            context.add_callable(name, function)
        kit = context.eval(f"({{ host: {{ {', '.join(self._host)} }}, limits: {self._limits} }})")
        context.eval(f"for (const name of {json.dumps(list(self._host))}) delete globalThis[name]")
        for source in self._sources:
            context.eval(source)(kit)
        find = context.eval("(kit, name) => kit[name]")
        return context, [find(kit, name) for name in names]


class ExpressionScripts:
    """One context for many evaluations. `renew` replaces it when it is spent: after its own error, after one that held
    much, and now and then. So nothing piles up."""

    def __init__(self, prelude: Prelude) -> None:
        self._prelude = prelude
        self.pipe = worker_pipe()
        self._load()

    def _load(self) -> None:
        self._context, (self._evaluate,) = self._prelude.load("evaluate")
        self._left = EVALUATIONS

    def begin(self) -> None:
        """Raises EOFError."""
        self._body, seconds = self.pipe.receive()
        limit_cpu(seconds)

    def answer(self) -> str:
        text = self._body.decode()
        self._left -= 1 + len(text) * EVALUATIONS // BIG
        found = str(self._evaluate(text))
        if found.startswith("!"):
            self._left = 0
        return found.removeprefix("!")

    def renew(self, failed: bool) -> None:
        if failed or self._left <= 0:
            self._load()


class CodeScripts:
    """A fresh context for every run; the next one is made while nobody waits for it."""

    def __init__(self, prelude: Prelude, lines: PulledLines) -> None:
        self._prelude = prelude
        self._lines = lines
        self.pipe = lines.pipe
        self._load()

    def _load(self) -> None:
        self._context, (self._start, self._step) = self._prelude.load("start", "step")
        self._memory = self._prelude.memory

    def begin(self) -> None:
        """Raises EOFError."""
        self._memory = self._prelude.allowed(self._lines.begin())

    def answer(self) -> str:
        self._context.set_memory_limit(self._memory)
        self._start()
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
        if self._context.memory()["malloc_size"] > self._memory // 2:
            return MemoryError()
        return RuntimeError("The script waits for something that never happens.")

    def renew(self, failed: bool) -> None:
        """Raises EOFError."""
        self._load()
        self._lines.end()


def failure(exc: BaseException) -> str:
    """The answer to a request that failed outside of the script's own error handling."""
    message = str(exc).split("\n    at ", maxsplit=1)[0].strip()
    if isinstance(exc, MemoryError) or message == "null" or "out of memory" in message:
        kind, message = "memory", "The script needs more memory than it may have."
    else:
        kind, message = "runtime", message or "The script failed without a message."
    return json.dumps({"error": {"kind": kind, "message": message, "line": None}})


def send(text: str) -> None:
    """The last frame of an answer."""
    worker_pipe().send(text.encode("utf-8", "replace"))


def serve(scripts: ExpressionScripts | CodeScripts) -> None:
    while True:
        scripts.begin()
        failed = False
        try:
            answer = scripts.answer()
        except Exception as exc:
            failed, answer = True, failure(exc)
        scripts.pipe.send(answer.encode("utf-8", "replace"))
        scripts.renew(failed)


def preload(parts: str) -> None:
    for name in LATER:
        text_of(name)
    if parts:
        load_host()
        load = import_module("host.preload").preload
        for name in parts.split(","):
            load(name)


def main(api: str, kind: str, parent: str, packages: str, memory: str, limits: str, parts: str) -> None:
    """`api`: the directory of `jackfield.api`. `packages`: the directories that hold `_quickjs` and `babel`. `memory`:
    bytes for the JavaScript. `parts`: those of `PARTS` to load, with commas between."""
    as_packages(Path(api))
    from jackfield.api.confinement import can_confine, die_with, keep_descriptors, limit, seal

    die_with(int(parent))
    if not can_confine():
        send("unconfined")
        return
    sys.path.extend(packages.split(os.pathsep))
    keep_descriptors(0, 1, 2)
    lines = PulledLines()
    host = lines.functions if kind == "code" else {}
    prelude = Prelude(kind, int(memory), json.loads(limits), host)
    limit({resource.RLIMIT_AS: 4 * prelude.most + 576 * MIB, resource.RLIMIT_NOFILE: 16})
    preload(parts)
    scripts = ExpressionScripts(prelude) if kind == "expressions" else CodeScripts(prelude, lines)
    seal()
    send("ready")
    with contextlib.suppress(EOFError, ConnectionError):
        serve(scripts)


if __name__ == "__main__":
    main(*sys.argv[1:])
