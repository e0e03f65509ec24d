"""What the plugin registers."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.scripts import ScriptData
from jackfield.testing.context import FakeContext
from jackfield_javascript import JavaScriptPlugin
from jackfield_javascript import engine as engines
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool


def test_the_settings_table() -> None:
    (table,) = JavaScriptPlugin.settings
    assert table.path == "scripts.javascript"
    assert table.model is JavaScriptSettings
    assert all(field.description for field in JavaScriptSettings.model_fields.values())


async def test_the_engine_and_its_end(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, tables=[JavaScriptSettings(expression_workers=1)])
    context.ports["ScriptWorkers"] = SharedWorkerPool()
    context.ports["JavaScriptEngine"] = engines.engine(context)
    (engine,) = engines.engines(context)
    assert engine.language == "javaScript"
    assert await engine.evaluate(["1 + 1"], ScriptData(input=[]), [0]) == [[2]]
    await engines.stop(context)
