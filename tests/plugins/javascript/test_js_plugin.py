"""What the plugin registers."""

from __future__ import annotations

from pathlib import Path

import jackfield_javascript as plugin
from jackfield.api.scripts import ScriptData
from jackfield.testing.context import FakeContext
from jackfield_javascript.settings import JavaScriptSettings


def test_the_settings_table() -> None:
    (table,) = plugin.jackfield_settings()
    assert table.path == "scripts.javascript"
    assert table.model is JavaScriptSettings
    assert all(field.description for field in JavaScriptSettings.model_fields.values())


async def test_the_engine_and_its_end(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, tables=[JavaScriptSettings(expression_workers=1)])
    engine = plugin.jackfield_script_engine(context)  # type: ignore[arg-type]
    assert engine.language == "javaScript"
    context.ports["jackfield_script_engines"] = {"javaScript": engine}
    assert await engine.evaluate(["1 + 1"], ScriptData(input=[]), [0]) == [[2]]
    await plugin.jackfield_shutdown(context)  # type: ignore[arg-type]


async def test_shutdown_without_an_engine(tmp_path: Path) -> None:
    context = FakeContext(tmp_path, ports={"jackfield_script_engines": {}})
    await plugin.jackfield_shutdown(context)  # type: ignore[arg-type]
    assert context.ports["jackfield_script_engines"] == {}
