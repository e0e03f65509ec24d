"""The embedded engine: executions, their nodes, waits and recovery."""

from __future__ import annotations

from jackfield.api.engine import ExecutionDefaults, ExpressionPreview, TemporaryEngines
from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class EnginePlugin(Plugin):
    """The embedded engine."""

    name = "engine"
    settings = (SettingsTable("executions", "jackfield_engine.settings:ExecutionsSettings"),)
    provides = {
        ExecutionDefaults: "jackfield_engine.defaults:SettingsDefaults",
        ExpressionPreview: "jackfield_engine.preview.preview:StoredDataPreview",
        TemporaryEngines: "jackfield_engine.temporary:EmbeddedTemporaryEngines",
    }

    jackfield_key_uses = later("jackfield_engine.lifecycle.key_use:key_uses")
    jackfield_engine = later("jackfield_engine.engine:build")
    start = deferred("jackfield_engine.retention:start")
