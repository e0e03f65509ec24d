"""The `ScriptEngine` for Python."""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes.items import LONG
from jackfield.api.script_workers import ScriptWorkers, WorkerKind
from jackfield.api.scripting.frames import HEAD, Body, framed
from jackfield.api.scripting.rows import UNREADABLE, ScriptRows, batches, long_json_of
from jackfield.api.scripts import (
    ExpressionError,
    ScriptData,
    ScriptEngine,
    ScriptError,
    ScriptMemory,
    ScriptResult,
)
from jackfield_python.settings import PythonSettings
from jackfield_python.worker import PythonRun, PythonWorker

KINDS = frozenset({"syntax", "runtime", "memory"})
"""Of failures that a worker reports of its program."""


class PythonEngine:
    """See `jackfield.api.scripts.ScriptEngine`. Each run has its own process, so that none sees another's data."""

    language = "python"

    def __init__(self, settings: PythonSettings, workers: ScriptWorkers) -> None:
        self._settings = settings
        self._memory = ScriptMemory(
            settings.memory, settings.memory_per_input, settings.max_memory, "scripts.python", "memory"
        )
        self._workers = workers.workers(
            WorkerKind[PythonRun](
                lambda: PythonWorker.start(settings),
                settings.workers,
                settings.max_waiting,
                settings.max_wait,
                work="program",
            )
        )

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        raise ScriptError("Expressions are JavaScript; Python runs in Code nodes alone.")

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        is_long = len(data.input) > LONG
        parts, size = (
            await asyncio.to_thread(_frames, source, data, each=each) if is_long else _frames(source, data, each=each)
        )
        rows = ScriptRows(data.input)
        run = PythonRun(parts, rows.take, data.timezone, math.ceil(timeout) + 1, self._memory.allowed(size))
        answer = await self._workers.call(run, timeout, self._memory.beyond(size))
        return await self._result(answer, rows, size)

    async def _result(self, answer: Body, rows: ScriptRows, size: int) -> ScriptResult:
        """A program may spoil its part of the answer: everything is checked. size: bytes of the request.

        Raises `ScriptError`.
        """
        found = await long_json_of(answer)
        if not isinstance(found, dict):
            raise ScriptError(UNREADABLE, kind="crash")
        if "error" in found:
            error = _error(found["error"])
            raise self._memory.error(size) if error.kind == "memory" else error
        kept = {name: _object(found.get(name)) for name in ("context", "static", "custom")}
        return ScriptResult(rows.value(found), self._logs(found.get("logs")), **kept)

    def _logs(self, lines: Any) -> Sequence[str]:  # what the worker sent
        most, longest = self._settings.log_lines + 1, self._settings.log_length
        return tuple(str(line)[:longest] for line in lines[:most]) if isinstance(lines, list) else ()

    async def close(self) -> None:
        """End the workers. Nothing runs afterwards."""
        await self._workers.close()


def _frames(source: str, data: ScriptData, *, each: bool) -> tuple[deque[bytes], int]:
    """The frames that the child reads.

    The first has everything but the items, with their number, and those after it have the items. Then the bytes of them
    all.
    """
    head = {
        "source": source,
        "each": each,
        "nodes": dict(data.nodes),
        "paired": dict(data.paired),
        "workflow": dict(data.workflow),
        "execution": dict(data.execution),
        "variables": dict(data.variables),
        "environment": dict(data.environment),
        "node": dict(data.node),
        "timezone": data.timezone,
        "now": data.now_ms,
        "known": list(data.known),
        "static": dict(data.static),
    }
    parts = deque([framed(_json(head), len(data.input))])
    parts.extend(framed(line, count) for line, count in batches(data.input, _json))
    return parts, sum(map(len, parts)) - len(parts) * HEAD.size


def _json(value: object) -> bytes:
    try:
        return jsontext.dumps(value)
    except (TypeError, ValueError):
        return json.dumps(value, default=dict).encode()


def _error(given: Any) -> ScriptError:  # what the worker sent
    error = _object(given)
    kind, line, item = error.get("kind"), error.get("line"), error.get("item")
    return ScriptError(
        str(error.get("message") or "The program failed without a message.")[:5000],
        kind=kind if isinstance(kind, str) and kind in KINDS else "runtime",
        line=line if isinstance(line, int) else None,
        item=item if isinstance(item, int) else None,
    )


def _object(value: Any) -> Mapping[str, Any]:  # what the worker sent
    return value if isinstance(value, dict) else {}


def engine(context: PluginContext) -> PythonEngine:
    return PythonEngine(context.settings(PythonSettings), context.port(ScriptWorkers))


def engines(context: PluginContext) -> Sequence[ScriptEngine]:
    return [context.port(PythonEngine)]


async def stop(context: PluginContext) -> None:
    await context.port(PythonEngine).close()
