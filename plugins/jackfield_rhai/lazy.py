"""The engine before anybody has used it: a start should not wait for a library that it may never need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.scripts import ExpressionError, ScriptData, ScriptEngine, ScriptResult
from jackfield_rhai.settings import RhaiSettings

if TYPE_CHECKING:
    from jackfield_rhai.engine import RhaiEngine


class LazyRhai:
    """`ScriptEngine` and `ScopedScripts`; loads Rhai with the first script."""

    language = "rhai"

    def __init__(self, settings: RhaiSettings) -> None:
        self._settings = settings

    @cached_property
    def _engine(self) -> RhaiEngine:
        from jackfield_rhai.engine import RhaiEngine

        return RhaiEngine(self._settings)

    async def evaluate(
        self, sources: Sequence[str], data: ScriptData, items: Sequence[int]
    ) -> list[list[Json | ExpressionError]]:
        return await self._engine.evaluate(sources, data, items)

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        return await self._engine.run(source, data, each=each, timeout=timeout)

    async def value(
        self, source: str, variables: Mapping[str, Json], *, name: str | None = None, timeout: float | None = None
    ) -> Json:
        return await self._engine.value(source, variables, name=name, timeout=timeout)

    async def close(self) -> None:
        if "_engine" in self.__dict__:
            await self._engine.close()


def engine(context: PluginContext) -> LazyRhai:
    return LazyRhai(context.settings(RhaiSettings))


def engines(context: PluginContext) -> Sequence[ScriptEngine]:
    """None where the extra is not installed."""
    if find_spec("rhai") is None:
        context.log.info("Scripts in Rhai cannot be run: the package rhai-python is not installed.")
        return []
    return [context.port(LazyRhai)]


async def stop(context: PluginContext) -> None:
    await context.port(LazyRhai).close()
