"""Python for Code nodes, in worker processes that can do nothing but compute."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hooks import SettingsTable, hookimpl
from jackfield.api.scripts import ScriptEngine


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_python.settings import PythonSettings

    return [SettingsTable("scripts.python", PythonSettings)]


@hookimpl
def jackfield_script_engine(context: PluginContext) -> ScriptEngine:
    from jackfield_python.engine import PythonEngine
    from jackfield_python.settings import PythonSettings

    return PythonEngine(context.settings(PythonSettings))


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    engine = context.script_engines.get("python")
    if engine is not None:
        await engine.close()
