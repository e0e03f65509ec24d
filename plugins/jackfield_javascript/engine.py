"""The `ScriptEngine` for JavaScript: workers for expressions, and workers for Code nodes.

Expressions run in worker processes too, and not on a thread of the daemon. Nobody can interrupt native loops of a
JavaScript engine, such as a search for a long text in a longer one. A fault in it must not take the daemon along. A
turn to a process costs what a turn to a thread costs.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
import os
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes.items import LONG
from jackfield.api.script_workers import API_FOLDER, ScriptWorkers, WorkerKind
from jackfield.api.scripting.frames import HEAD, TOTAL, Body, framed
from jackfield.api.scripting.rows import UNREADABLE, ScriptRows, batches, long_json_of
from jackfield.api.scripts import ExpressionError, ScriptData, ScriptEngine, ScriptError, ScriptMemory, ScriptResult
from jackfield_javascript.patience import Patience
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_javascript.worker import NEEDS, JavaScriptWorker, ScriptRequest, WorkerStart

MIB = 1 << 20
ITEMS_PER_TIMEOUT = 200
TOGETHER = 250
"""Items of an expression that are written and parsed at once."""
FEW = 4
"""Values of expressions, up to which their answer may be waited for in place."""
PARTS = frozenset({"hashing", "zones", "dates", "numbers"})
"""Of the worker's host: see `child.py`."""
LACKING = "No worker has what the script needs."
KINDS = frozenset({"syntax", "runtime", "memory"})
"""Of failures that a worker reports."""


def _line(value: object) -> bytes:
    """One line of JSON, also of half surrogates and of integers beyond 64 bits, which orjson refuses."""
    try:
        return orjson.dumps(value, default=dict)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), default=dict).encode()


def _first_lines(data: ScriptData, head: Mapping[str, object]) -> list[bytes]:
    """The head and the facts, which the prelude's `Data` reads. Parts that the head lacks are empty."""
    first = {
        "count": len(data.input),
        "nodes": list(data.nodes),
        "paired": data.paired,
        "timezone": data.timezone,
        "now": data.now_ms,
        "known": data.known,
        "extra": data.extra,
        "static": data.static,
        **head,
    }
    facts = {
        "workflow": data.workflow,
        "execution": data.execution,
        "variables": data.variables,
        "environment": data.environment,
        "node": data.node,
    }
    return [_line({name: value for name, value in first.items() if value}), _line(facts)]


def _text(data: ScriptData, head: Mapping[str, object]) -> bytes:
    """The lines that the prelude's `TextLines` reads: the head, the facts, the items, several in a list, and the nodes,
    each on its own line."""
    batches = (data.input[start : start + TOGETHER] for start in range(0, len(data.input), TOGETHER))
    first = _first_lines(data, {"together": TOGETHER, **head})
    return b"\n".join([*first, *map(_line, batches), *map(_line, data.nodes.values())])


def _frames(data: ScriptData, head: Mapping[str, object], seconds: int) -> tuple[deque[bytes], int]:
    """The frames that the prelude's `PulledLines` reads, a frame for each line; and the bytes of them all."""
    lines = deque(framed(line) for line in _first_lines(data, head))
    lines.extend(framed(line, count) for line, count in batches(data.input, _line))
    lines.extend(framed(_line(node)) for node in data.nodes.values())
    size = sum(map(len, lines)) - len(lines) * HEAD.size
    lines.appendleft(framed(TOTAL.pack(size, len(lines)), seconds))
    return lines, size


async def _decode(answer: Body) -> dict[str, Any]:  # the answer's shape is the prelude's
    """Raises `ScriptError`."""
    found = await long_json_of(answer)
    if not isinstance(found, dict):
        raise ScriptError(UNREADABLE, kind="crash")
    if found.get("error") is not None:
        raise _error(_object(found["error"]))
    return found


def _values(found: dict[str, Any]) -> list[list[Json | ExpressionError]]:  # as the prelude gives it
    rows: list[list[Json | ExpressionError]] = found["values"]
    for row, column, message in found["errors"]:
        rows[row][column] = ExpressionError(message)
    return rows


def _error(given: Mapping[str, Any]) -> ScriptError:  # what the worker sent
    kind, line, item = given.get("kind"), given.get("line"), given.get("item")
    return ScriptError(
        str(given.get("message") or "The script failed without a message."),
        kind=kind if isinstance(kind, str) and kind in KINDS else "runtime",
        line=line if isinstance(line, int) else None,
        item=item if isinstance(item, int) else None,
    )


def _object(value: object) -> Mapping[str, Any]:  # what the worker sent
    return value if isinstance(value, dict) else {}


def _packages() -> Iterator[str]:
    """The directories of the packages that a worker imports. Raises `ScriptError`."""
    for module, package in (("_quickjs", "quickjs-ng"), ("babel", "babel")):
        found = importlib.util.find_spec(module)
        if found is None or found.origin is None:
            raise ScriptError(f"JavaScript can't be run: the package {package} is not installed.", kind="crash")
        origin = Path(found.origin)
        yield str(origin.parent if found.submodule_search_locations is None else origin.parents[1])


def _command(kind: str, memory: int, limits: Mapping[str, int], parts: Iterable[str]) -> list[str]:
    packages = os.pathsep.join(dict.fromkeys(_packages()))
    child = str(Path(__file__).with_name("child.py"))
    given = [kind, str(os.getpid()), packages, str(memory), json.dumps(limits), ",".join(sorted(parts))]
    return [sys.executable, "-I", "-S", child, str(API_FOLDER), *given]


class JavaScriptEngine:
    """See `jackfield.api.scripts.ScriptEngine`. A `ScriptError` of the kind `busy`: no worker became free in time."""

    language = "javaScript"

    def __init__(self, settings: JavaScriptSettings, workers: ScriptWorkers) -> None:
        self._settings = settings
        self._memory = ScriptMemory(
            settings.code_memory,
            settings.code_memory_per_input,
            settings.max_memory,
            "scripts.javascript",
            "code_memory",
        )
        self._patience = Patience(settings.answer_at_once)
        self._tries = len(PARTS) + settings.expression_workers + settings.code_workers
        self._expressions = workers.workers(
            self._kind(self._expression_worker, settings.expression_workers, urgent=True)
        )
        self._parts: set[str] = set()
        """Parts of the host that a script has needed: workers load them before they are sealed."""
        self._code = workers.workers(self._kind(self._code_worker, settings.code_workers, settings.uses))

    def _kind(
        self, start: Callable[[], Awaitable[JavaScriptWorker]], size: int, uses: int | None = None, urgent: bool = False
    ) -> WorkerKind[ScriptRequest]:
        settings = self._settings
        return WorkerKind(start, size, settings.max_waiting, settings.max_wait, uses, urgent)

    async def _expression_worker(self) -> JavaScriptWorker:
        settings = self._settings
        limits = {"cacheSize": settings.compiled_expressions}
        return await self._worker("expressions", settings.expression_memory * MIB, limits, "expression_memory")

    async def _code_worker(self) -> JavaScriptWorker:
        settings = self._settings
        limits = {
            "logLines": settings.log_lines,
            "logLength": settings.log_length,
            "memoryPerMiB": round(settings.code_memory_per_input * MIB),
            "maxMemory": max(settings.code_memory, settings.max_memory) * MIB,
        }
        return await self._worker("code", settings.code_memory * MIB, limits, "code_memory")

    async def _worker(self, kind: str, memory: int, limits: Mapping[str, int], setting: str) -> JavaScriptWorker:
        command = _command(kind, memory, limits, self._parts)
        timeout = self._settings.start_timeout
        return await JavaScriptWorker.start(WorkerStart(command, memory, f"scripts.javascript.{setting}", timeout))

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        head = {"sources": list(sources), "indexes": list(items)}
        timeout = self._settings.expression_timeout * max(1, -(-len(items) // ITEMS_PER_TIMEOUT))
        patience = self._patience if len(sources) * len(items) <= FEW else None
        text = _text(data, head) if len(data.input) <= LONG else await asyncio.to_thread(_text, data, head)
        frame = framed(text, math.ceil(timeout))
        del text
        for _ in range(self._tries):
            answer = await self._expressions.call(ScriptRequest(deque([frame]), None, patience), timeout)
            if not self._lacks(answer):
                return _values(await _decode(answer))
        raise ScriptError(LACKING, kind="crash")

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        head = {"source": source, "each": each}
        for _ in range(self._tries):
            given = data, head, math.ceil(timeout)
            frames, size = _frames(*given) if len(data.input) <= LONG else await asyncio.to_thread(_frames, *given)
            rows = ScriptRows(data.input)  # what comes before a part is found to be lacking does not count
            answer = await self._code.call(ScriptRequest(frames, rows.take), timeout, self._memory.beyond(size))
            if not self._lacks(answer):
                return await self._result(answer, rows, size)
        raise ScriptError(LACKING, kind="crash")

    async def _result(self, answer: Body, rows: ScriptRows, size: int) -> ScriptResult:
        """size: bytes of the request. Raises `ScriptError`."""
        try:
            found = await _decode(answer)
        except ScriptError as exc:
            raise (self._memory.error(size) if exc.kind == "memory" else exc) from None
        kept = {name: _object(found.get(name)) for name in ("context", "static", "custom")}
        return ScriptResult(rows.value(found), self._logs(found.get("logs")), **kept)

    def _lacks(self, answer: Body) -> bool:
        """Whether the worker lacked a part that the script needs, which it named before it ended. Scripts have no
        effects, so that another begins them again."""
        if not answer.startswith(NEEDS):
            return False
        self._parts |= PARTS & {answer.removeprefix(NEEDS).decode("ascii", "replace")}
        return True

    def _logs(self, lines: object) -> Sequence[str]:
        most, longest = self._settings.log_lines + 1, max(self._settings.log_length, 100)  # the last is a note
        return tuple(str(line)[:longest] for line in lines[:most]) if isinstance(lines, list) else ()

    async def close(self) -> None:
        """Kill the workers. Nothing runs afterwards."""
        await asyncio.gather(self._expressions.close(), self._code.close())


def engine(context: PluginContext) -> JavaScriptEngine:
    return JavaScriptEngine(context.settings(JavaScriptSettings), context.port(ScriptWorkers))


def engines(context: PluginContext) -> Sequence[ScriptEngine]:
    return [context.port(JavaScriptEngine)]


async def stop(context: PluginContext) -> None:
    await context.port(JavaScriptEngine).close()
