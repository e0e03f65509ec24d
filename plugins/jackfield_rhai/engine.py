"""The `ScriptEngine` for Rhai, in threads: Rhai lets go of the interpreter's lock while a script runs, and ends it at
its deadline."""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TypeVar

import rhai

from jackfield.api.jsontext import Json
from jackfield.api.scripts import ExpressionError, ScriptData, ScriptError, ScriptResult
from jackfield_rhai.functions import FUNCTIONS
from jackfield_rhai.printing import Printed
from jackfield_rhai.results import as_json
from jackfield_rhai.scope import at_item, common, only, words
from jackfield_rhai.settings import RhaiSettings
from jackfield_rhai.turns import STOPPING, Turns

T = TypeVar("T")
TOO_LONG = "The script ran longer than it may."
MIB = 1 << 20
ITEMS_PER_TIMEOUT = 200
COMPILED_TEXT = 2 * MIB
"""Bytes of source of the scripts kept compiled, which take some fifty times as much."""
CANCEL_AGAIN = 0.05
"""Seconds. At the end a script may be between two evaluations, where a cancellation does not reach it."""


class Compiled:
    """Compiled scripts by the hash of their source; the one not used for longest goes first."""

    def __init__(self, size: int, text: int) -> None:
        self._size = size
        self._text = text
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, bytes, str | None], tuple[rhai.AST, int]] = OrderedDict()
        self._held = 0

    def get(self, kind: str, compile: Callable[[str, str | None], rhai.AST], source: str, name: str | None) -> rhai.AST:
        """Raises `rhai.RhaiError`."""
        text = source.encode("utf-8", "surrogatepass")
        key = (kind, hashlib.sha256(text).digest(), name)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        made = compile(source, name)  # outside of the lock: it may take long
        with self._lock:
            if key not in self._kept:
                self._kept[key] = (made, len(text))
                self._held += len(text)
            while len(self._kept) > self._size or self._held > self._text:
                self._held -= self._kept.popitem(last=False)[1][1]
        return made


class RhaiEngine:
    """`ScriptEngine` and `ScopedScripts`."""

    language = "rhai"

    def __init__(self, settings: RhaiSettings) -> None:
        self._settings = settings
        self._printed = Printed(settings.log_lines, settings.log_length)
        self._scripts = self._engine(settings.max_operations, settings.max_items)
        self._code = self._engine(settings.code_operations, settings.code_items)
        self._compiled = Compiled(settings.compiled, COMPILED_TEXT)
        self._turns = Turns(settings.threads, settings.max_waiting, settings.max_wait)

    def _engine(self, operations: int, items: int) -> rhai.Engine:
        settings = self._settings
        engine = rhai.Engine(
            max_operations=operations,
            max_call_levels=settings.max_call_levels,
            max_string_size=settings.max_string_size,
            max_array_size=items,
            max_map_size=items,
            max_memory=settings.max_memory * MIB,
            timeout=settings.timeout,
            on_print=self._printed.take,
            on_debug=self._printed.debug,
        )
        for name, function in FUNCTIONS.items():
            engine.register_fn(name, function)
        return engine

    # -- scripts of their own

    async def value(
        self, source: str, variables: Mapping[str, Json], *, name: str | None = None, timeout: float | None = None
    ) -> Json:
        def work() -> Json:
            script = self._compiled.get("script", self._scripts.compile, source, name)
            return as_json(self._scripts.eval(script, dict(variables), timeout))

        return await self._turns.run(lambda: _guarded(work))

    # -- what belongs to an execution

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        def work() -> list[list[Json | ExpressionError]]:
            compiled = [(self._expression(source), words(source)) for source in sources]
            shared = common(data)
            deadline = time.monotonic() + self._settings.timeout * max(1, math.ceil(len(items) / ITEMS_PER_TIMEOUT))
            rows: list[list[Json | ExpressionError]] = []
            for index in items:
                scope = at_item(shared, data, index)
                rows.append([self._evaluated(one, only(scope, names), deadline) for one, names in compiled])
            return rows

        return await self._turns.run(lambda: _guarded(work))

    def _expression(self, source: str) -> rhai.AST | ExpressionError:
        try:
            return self._compiled.get("expression", self._scripts.compile_expression, source, None)
        except rhai.RhaiSyntaxError as exc:
            return ExpressionError(str(exc))

    def _evaluated(
        self, script: rhai.AST | ExpressionError, scope: dict[str, object], deadline: float
    ) -> Json | ExpressionError:
        """A failing expression is nothing, as in JavaScript; one that breaks a limit fails everything."""
        if isinstance(script, ExpressionError):
            return script
        try:
            return as_json(self._scripts.eval(script, scope, _left(deadline)))
        except rhai.RhaiLimitError:
            raise
        except (rhai.RhaiRuntimeError, ValueError, TypeError, OverflowError):
            return None

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        def work() -> ScriptResult:
            script = self._compiled.get("code", self._code.compile, source, None)
            deadline = time.monotonic() + timeout
            shared, names = common(data), words(source)
            goes_on = data.node.get("onError", "stopWorkflow") not in (None, "stopWorkflow")

            def evaluated(scope: dict[str, object]) -> Json:
                return as_json(self._code.eval(script, only(scope, names), _left(deadline)))

            def of_item(index: int) -> Json:
                try:
                    return _guarded(lambda: evaluated(at_item(shared, data, index)))
                except ScriptError as exc:
                    if goes_on and exc.kind == "runtime":
                        return {"json": {"error": exc.message}}
                    raise ScriptError(exc.message, kind=exc.kind, line=exc.line, item=index) from None

            with self._printed.collect() as logs:
                value: Json = [of_item(index) for index in range(len(data.input))] if each else evaluated(shared)
                return ScriptResult(value, tuple(logs))

        return await self._turns.run(lambda: _guarded(work))

    async def close(self) -> None:
        closing = asyncio.ensure_future(self._turns.close())
        while not closing.done():
            self._scripts.cancel()
            self._code.cancel()
            await asyncio.wait([closing], timeout=CANCEL_AGAIN)
        await closing


def _left(deadline: float) -> float:
    """Seconds until then. Raises `ScriptError` afterwards: short scripts for many items would all still run."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise ScriptError(TOO_LONG, kind="timeout")
    return left


def _guarded(work: Callable[[], T]) -> T:
    """Raises `ScriptError` for whatever goes wrong in a script, in its values, or in a function that it calls."""
    try:
        return work()
    except rhai.RhaiSyntaxError as exc:
        raise ScriptError(str(exc), kind="syntax", line=exc.line) from None
    except rhai.RhaiTimeout as exc:
        raise ScriptError(TOO_LONG, kind="timeout", line=exc.line) from None
    except rhai.RhaiCancelled:
        raise ScriptError(STOPPING, kind="busy") from None
    except rhai.RhaiLimitError as exc:
        raise ScriptError(str(exc), kind="memory", line=exc.line) from None
    except rhai.RhaiError as exc:
        raise ScriptError(str(exc), line=exc.line) from None
    except MemoryError:
        raise ScriptError("There is no memory left for the script.", kind="memory") from None
    except RecursionError:
        raise ScriptError("A value is nested too deep.") from None
    except (ValueError, TypeError, OverflowError) as exc:
        raise ScriptError(f"A value cannot be handed over: {exc}.") from None
