"""The `ScriptEngine` for Rhai. Scripts run on threads: Rhai lets go of the interpreter's lock meanwhile, and ends a
script at its deadline. The library is loaded with the first script, on such a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.extensions import Given
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.scripts import (
    RHAI_FUNCTIONS,
    RHAI_REMEDY,
    ExpressionError,
    RhaiFunction,
    ScriptData,
    ScriptEngine,
    ScriptResult,
)
from jackfield_rhai.pool import ScriptPool
from jackfield_rhai.settings import RhaiSettings

if TYPE_CHECKING:
    from jackfield_rhai.interpreter import Interpreter

CANCEL_AGAIN = 0.05
"""Seconds. At the end a script may be between two evaluations, where a cancellation does not reach it."""


class RhaiEngine:
    """`ScriptEngine` and `ScopedScripts`. functions: those of plugins, asked for with the first script."""

    language = "rhai"

    def __init__(
        self, settings: RhaiSettings, functions: Callable[[], Sequence[Given[RhaiFunction]]] = lambda: ()
    ) -> None:
        self._settings = settings
        self._functions = functions
        self._pool = ScriptPool(settings.side_by_side, settings.max_waiting, settings.max_wait)
        self._interpreter: Interpreter | None = None
        self._making = Lock()

    def interpreter(self) -> Interpreter:
        """Blocks: the first call loads the library."""
        if self._interpreter is None:
            with self._making:
                if self._interpreter is None:
                    make = cast("type[Interpreter]", load("jackfield_rhai.interpreter:Interpreter"))
                    self._interpreter = make(self._settings, self._functions())
        return self._interpreter

    async def value(
        self, source: str, variables: Mapping[str, Json], *, name: str | None = None, timeout: float | None = None
    ) -> Json:
        return await self._pool.run(lambda: self.interpreter().value(source, variables, name, timeout))

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        return await self._pool.run(lambda: self.interpreter().evaluate(sources, data, items))

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        return await self._pool.run(lambda: self.interpreter().run(source, data, each, timeout))

    async def close(self) -> None:
        closing = asyncio.ensure_future(self._pool.close())
        while not closing.done():
            if self._interpreter is not None:
                self._interpreter.cancel()
            await asyncio.wait([closing], timeout=CANCEL_AGAIN)
        await closing


def engine(context: PluginContext) -> RhaiEngine:
    """That of the daemon."""
    return RhaiEngine(context.settings(RhaiSettings), lambda: list(context.given(RHAI_FUNCTIONS).values()))


def engines(context: PluginContext) -> Sequence[ScriptEngine]:
    """None where the library is not installed."""
    if find_spec("rhai") is None:
        context.log.warning("Scripts in Rhai cannot be run: the package rhai-python is missing. %s", RHAI_REMEDY)
        return []
    return [context.port(RhaiEngine)]


async def stop(context: PluginContext) -> None:
    await context.port(RhaiEngine).close()
