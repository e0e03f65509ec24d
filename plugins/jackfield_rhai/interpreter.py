"""Rhai itself: compiles scripts and runs them, on the thread of the caller. Importing this loads the library."""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TypeVar

import rhai

from jackfield.api.extensions import Given
from jackfield.api.jsontext import Json
from jackfield.api.scripts import (
    ExpressionError,
    RhaiFunction,
    ScriptData,
    ScriptError,
    ScriptResult,
    failed_value,
)
from jackfield_rhai.calls import TOO_LONG, FunctionCalls
from jackfield_rhai.functions import FUNCTIONS
from jackfield_rhai.pool import STOPPING
from jackfield_rhai.printing import ScriptOutput
from jackfield_rhai.results import as_json
from jackfield_rhai.scope import at_item, common, only, words
from jackfield_rhai.settings import RhaiSettings

T = TypeVar("T")
MIB = 1 << 20
OWN = "rhai"
"""The plugin whose functions are `FUNCTIONS`, which need no separate thread."""
ITEMS_PER_TIMEOUT = 200
COMPILED_TEXT = 2 * MIB
"""Bytes of source of the scripts kept compiled, which take some fifty times as much."""
_NOT_FOUND = re.compile(r"Function not found: ([\w:]+) \((.*)\) \(line")


class CompiledScripts:
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


class Interpreter:
    """Blocks; for the threads of the pool."""

    def __init__(self, settings: RhaiSettings, given: Sequence[Given[RhaiFunction]]) -> None:
        self._settings = settings
        self._printed = ScriptOutput(settings.log_lines, settings.log_length)
        self._calls = FunctionCalls(settings.max_hung)
        self._given = {one.value.name: one for one in given if one.plugin != OWN}
        self._scripts = self._engine(settings.max_operations, settings.max_items)
        self._code = self._engine(settings.code_operations, settings.code_items)
        self.compiled = CompiledScripts(settings.compiled, COMPILED_TEXT)

    def _engine(self, operations: int, items: int) -> rhai.Engine:
        settings = self._settings
        engine = rhai.Engine(
            max_operations=operations,
            max_call_levels=settings.max_call_levels,
            max_string_size=settings.max_string_size,
            max_array_size=items,
            max_map_size=items,
            max_memory=settings.memory_each * MIB,
            timeout=settings.timeout,
            on_print=self._printed.take,
            on_debug=self._printed.debug,
        )
        for name, function in FUNCTIONS.items():
            engine.register_fn(name, function)
        for name, one in self._given.items():
            engine.register_fn(name, self._calls.bound(one))
        return engine

    # -- scripts of their own

    def value(self, source: str, variables: Mapping[str, Json], name: str | None, timeout: float | None) -> Json:
        """Raises `ScriptError`."""
        limit = self._settings.timeout if timeout is None else timeout

        def work() -> Json:
            script = self.compiled.get("script", self._scripts.compile, source, name)
            return as_json(self._eval(self._scripts, script, dict(variables), time.monotonic() + limit))

        return self._guarded(work)

    # -- what belongs to an execution

    def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        """Raises `ScriptError`."""

        def work() -> list[list[Json | ExpressionError]]:
            compiled = [(self._expression(source), words(source)) for source in sources]
            shared = common(data)
            deadline = time.monotonic() + self._settings.timeout * max(1, math.ceil(len(items) / ITEMS_PER_TIMEOUT))
            rows: list[list[Json | ExpressionError]] = []
            for index in items:
                scope = at_item(shared, data, index)
                rows.append([self._evaluated(one, only(scope, names), deadline) for one, names in compiled])
            return rows

        return self._guarded(work)

    def _expression(self, source: str) -> rhai.AST | ExpressionError:
        try:
            return self.compiled.get("expression", self._scripts.compile_expression, source, None)
        except rhai.RhaiSyntaxError as exc:
            return ExpressionError(str(exc))

    def _evaluated(
        self, script: rhai.AST | ExpressionError, scope: dict[str, object], deadline: float
    ) -> Json | ExpressionError:
        """A failing expression is nothing, as in JavaScript; one that breaks a limit fails everything."""
        if isinstance(script, ExpressionError):
            return script
        try:
            return as_json(self._eval(self._scripts, script, scope, deadline))
        except rhai.RhaiLimitError:
            raise
        except ScriptError as exc:
            if exc.kind != "runtime":
                raise
            return None
        except (rhai.RhaiRuntimeError, ValueError, TypeError, OverflowError):
            return None

    def run(self, source: str, data: ScriptData, each: bool, timeout: float) -> ScriptResult:
        """Raises `ScriptError`."""

        def work() -> ScriptResult:
            script = self.compiled.get("code", self._code.compile, source, None)
            deadline = time.monotonic() + timeout
            shared, names = common(data), words(source)

            def evaluated(scope: dict[str, object]) -> Json:
                return as_json(self._eval(self._code, script, only(scope, names), deadline))

            def of_item(index: int) -> Json:
                try:
                    return self._guarded(lambda: evaluated(at_item(shared, data, index)))
                except ScriptError as exc:
                    if data.goes_on and exc.kind == "runtime":
                        return failed_value(exc.message)
                    raise ScriptError(exc.message, kind=exc.kind, line=exc.line, item=index) from None

            with self._printed.collect() as logs:
                value: Json = [of_item(index) for index in range(len(data.input))] if each else evaluated(shared)
                return ScriptResult(value, tuple(logs))

        return self._guarded(work)

    def cancel(self) -> None:
        """End what runs now, functions of plugins as far as scripts wait for them."""
        self._scripts.cancel()
        self._code.cancel()
        self._calls.cancel()

    def _eval(self, engine: rhai.Engine, script: rhai.AST, scope: dict[str, object], deadline: float) -> object:
        left = _left(deadline)
        if not self._given:
            return engine.eval(script, scope, left)
        with self._calls.until(deadline):
            return engine.eval(script, scope, left)

    def _guarded(self, work: Callable[[], T]) -> T:
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
            raise ScriptError(self._with_arity(str(exc)), line=exc.line) from None
        except MemoryError:
            raise ScriptError("There is no memory left for the script.", kind="memory") from None
        except RecursionError:
            raise ScriptError("A value is nested too deep.") from None
        except (ValueError, TypeError, OverflowError) as exc:
            raise ScriptError(f"A value cannot be handed over: {exc}.") from None

    def _with_arity(self, message: str) -> str:
        """Rhai says that a function is not found when it is called with another number of arguments."""
        found = _NOT_FOUND.match(message)
        given = self._given.get(found[1]) if found else None
        if found is None or given is None:
            return message
        number = found[2].count(",") + 1 if found[2] else 0
        plural = "" if given.value.arity == 1 else "s"
        return f"{given.value.name} takes {given.value.arity} argument{plural}, not {number}. {message}"


def _left(deadline: float) -> float:
    """Seconds until then. Raises `ScriptError` afterwards: short scripts for many items would all still run."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise ScriptError(TOO_LONG, kind="timeout")
    return left
