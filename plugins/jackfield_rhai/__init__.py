"""Rhai: scripts that make agents' configuration, conditions of routes, and a language of Code nodes. Needs the
distribution `rhai-python`; without it there is no engine of that name, and the log says why."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hooks import SettingsTable, hookimpl
from jackfield.api.scripts import ScriptEngine


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_rhai.settings import RhaiSettings

    return [SettingsTable("scripts.rhai", RhaiSettings)]


@hookimpl
def jackfield_script_engine(context: PluginContext) -> ScriptEngine | None:
    from importlib.util import find_spec

    if find_spec("rhai") is None:
        context.log.info("Scripts in Rhai cannot be run: the package rhai-python is not installed.")
        return None
    from jackfield_rhai.lazy import LazyRhai
    from jackfield_rhai.settings import RhaiSettings

    return LazyRhai(context.settings(RhaiSettings))


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    engine = context.script_engines.get("rhai")
    if engine is not None:
        await engine.close()
