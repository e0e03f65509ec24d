"""The `ScriptEngine` for JavaScript: workers for expressions, and workers for Code nodes.

Expressions run in worker processes too, and not on a thread of the daemon: native loops of a JavaScript engine, such as
a search for a long text in a longer one, can't be interrupted, and a fault in it must not take the daemon along. A turn
to a process costs what a turn to a thread costs.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.json_slices import stored
from jackfield.api.jsontext import LARGE, Json
from jackfield.api.nodes.items import LONG
from jackfield.api.script_workers import API_FOLDER, ScriptWorkers, WorkerKind, Workers
from jackfield.api.scripts import ExpressionError, ScriptData, ScriptEngine, ScriptError, ScriptMemory, ScriptResult
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_javascript.worker import NEEDS, JavaScriptWorker

MIB = 1 << 20
ITEMS_PER_TIMEOUT = 200
TOGETHER = 250
"""Items that are written and parsed at once."""
PARTS = frozenset({"hashing", "zones", "dates", "numbers"})
"""Of the worker's host: see `child.py`."""
KINDS = frozenset({"syntax", "runtime", "memory"})
"""Of failures that a worker reports."""


def _line(value: object) -> bytes:
    """One line of JSON, also of half surrogates and of integers beyond 64 bits, which orjson refuses."""
    try:
        return orjson.dumps(value, default=dict)
    except TypeError:
        return json.dumps(value, separators=(",", ":"), default=dict).encode()


def _encode(data: ScriptData, head: Mapping[str, object]) -> bytes:
    """The text that the prelude's `Data` reads: the head, the facts, the items, so many in a list, and the nodes, each
    on a line of its own."""
    first = {
        "count": len(data.input),
        "together": TOGETHER,
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
    batches = (data.input[start : start + TOGETHER] for start in range(0, len(data.input), TOGETHER))
    return b"\n".join([_line(first), _line(facts), *map(_line, batches), *map(_line, data.nodes.values())])


async def _decode(
    answer: bytes,
) -> dict[str, Any]:  # the answer's shape is the prelude's; a script can spoil it for itself
    """Raises `ScriptError`."""
    try:
        found = orjson.loads(answer) if len(answer) < LARGE else await asyncio.to_thread(stored, answer)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ScriptError("The script's answer can't be read.", kind="crash")
    if found.get("error") is not None:
        raise _error(_object(found["error"]))
    return found


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
        self._expressions = workers.workers(
            self._kind(self._expression_worker, settings.expression_workers, urgent=True)
        )
        self._parts: set[str] = set()
        """Parts of the host that a script has needed: workers load them before they are sealed."""
        self._code = workers.workers(self._kind(self._code_worker, settings.code_workers, settings.uses))

    def _kind(
        self, start: Callable[[], Awaitable[JavaScriptWorker]], size: int, uses: int | None = None, urgent: bool = False
    ) -> WorkerKind[bytes]:
        settings = self._settings
        return WorkerKind(start, size, settings.max_waiting, settings.max_wait, uses, urgent)

    async def _expression_worker(self) -> JavaScriptWorker:
        settings = self._settings
        limits = {"cacheSize": settings.compiled_expressions}
        return await self._worker("expressions", settings.expression_memory * MIB, limits)

    async def _code_worker(self) -> JavaScriptWorker:
        settings = self._settings
        limits = {
            "logLines": settings.log_lines,
            "logLength": settings.log_length,
            "memoryPerMiB": round(settings.code_memory_per_input * MIB),
            "maxMemory": max(settings.code_memory, settings.max_memory) * MIB,
        }
        return await self._worker("code", settings.code_memory * MIB, limits)

    async def _worker(self, kind: str, memory: int, limits: Mapping[str, int]) -> JavaScriptWorker:
        command = _command(kind, memory, limits, self._parts)
        return await JavaScriptWorker.start(command, largest=memory, timeout=self._settings.start_timeout)

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        request = await self._request(data, {"sources": list(sources), "indexes": list(items)})
        timeout = self._settings.expression_timeout * max(1, -(-len(items) // ITEMS_PER_TIMEOUT))
        found = await _decode(await self._answer(self._expressions, request, timeout))
        rows: list[list[Json | ExpressionError]] = found["values"]
        for row, column, message in found["errors"]:
            rows[row][column] = ExpressionError(message)
        return rows

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        request = await self._request(data, {"source": source, "each": each})
        size = len(request)
        try:
            answer = await self._answer(self._code, request, timeout, self._memory.beyond(size))
            del request
            found = await _decode(answer)
            del answer
        except ScriptError as exc:
            raise (self._memory.error(size) if exc.kind == "memory" else exc) from None
        kept = {name: _object(found.get(name)) for name in ("context", "static", "custom")}
        return ScriptResult(found.get("value"), self._logs(found.get("logs")), **kept)

    @staticmethod
    async def _request(data: ScriptData, head: Mapping[str, object]) -> bytes:
        return _encode(data, head) if len(data.input) <= LONG else await asyncio.to_thread(_encode, data, head)

    async def _answer(self, workers: Workers[bytes], request: bytes, timeout: float, more_memory: int = 0) -> bytes:
        """Of a worker that has what the script needs. One that lacks a part names it and ends; scripts have no effects,
        so that another begins them again. Raises `ScriptError`."""
        tries = len(PARTS) + self._settings.expression_workers + self._settings.code_workers
        for _ in range(tries):
            answer = await workers.call(request, timeout, more_memory)
            if not answer.startswith(NEEDS):
                return answer
            self._parts |= PARTS & {answer.removeprefix(NEEDS).decode("ascii", "replace")}
        raise ScriptError("No worker has what the script needs.", kind="crash")

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
