"""The embedded engine: executions, their nodes, waits and recovery."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class EnginePlugin(Plugin):
    """The embedded engine."""

    name = "engine"
    settings = (SettingsTable("executions", "jackfield_engine.settings:ExecutionsSettings"),)
    provides = {
        "jackfield.api.engine:ConductedEngines": "jackfield_engine.conducted.engine:EmbeddedConductedEngines",
        "jackfield.api.engine:ErrorWorkflows": "jackfield_engine.lifecycle.error_workflow:EngineErrorWorkflows",
        "jackfield.api.engine:ExecutionDefaults": "jackfield_engine.defaults:SettingsDefaults",
        "jackfield.api.engine:ExpressionPreview": "jackfield_engine.preview.preview:StoredDataPreview",
        "jackfield.api.engine:TemporaryEngines": "jackfield_engine.temporary:EmbeddedTemporaryEngines",
    }

    parts = ("jackfield_engine.shared.figures:EngineFigures",)

    jackfield_key_uses = later("jackfield_engine.lifecycle.key_use:key_uses")
    jackfield_engine = later("jackfield_engine.engine:build")
    jackfield_metrics = later("jackfield_engine.shared.figures:metrics")
    start = deferred("jackfield_engine.retention:start")
