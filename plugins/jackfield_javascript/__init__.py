"""JavaScript for expressions and Code nodes, in confined worker processes."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hooks import SettingsTable, hookimpl
from jackfield.api.scripts import ScriptEngine


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_javascript.settings import JavaScriptSettings

    return [SettingsTable("scripts.javascript", JavaScriptSettings)]


@hookimpl
def jackfield_script_engine(context: PluginContext) -> ScriptEngine:
    from jackfield_javascript.engine import JavaScriptEngine
    from jackfield_javascript.settings import JavaScriptSettings

    return JavaScriptEngine(context.settings(JavaScriptSettings))


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    engine = context.script_engines.get("javaScript")
    if engine is not None:
        await engine.close()
