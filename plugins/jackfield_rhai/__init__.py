"""Rhai: scripts that make agents' configuration, conditions of routes, and a language of Code nodes. Needs the
distribution `rhai-python`; without it there is no engine of that name, and the log says why."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later, when_built


class RhaiPlugin(Plugin):
    """Rhai: scripts that make agents' configuration, conditions of routes, and a language of Code nodes. Needs the
    distribution `rhai-python`; without it there is no engine of that name, and the log says why."""

    name = "rhai"
    settings = (SettingsTable("scripts.rhai", "jackfield_rhai.settings:RhaiSettings"),)
    provides = {"jackfield_rhai.engine:RhaiEngine": "jackfield_rhai.engine:engine"}

    jackfield_findings = later("jackfield_rhai.diagnosis:findings")
    jackfield_script_engines = later("jackfield_rhai.engine:engines")
    jackfield_rhai_functions = later("jackfield_rhai.functions:functions")
    stop = when_built("jackfield_rhai.engine:RhaiEngine", "jackfield_rhai.engine:stop")
