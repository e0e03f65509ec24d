"""Python for Code nodes, in worker processes that can do nothing but compute."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later, when_built


class PythonPlugin(Plugin):
    """Python for Code nodes, in worker processes that can do nothing but compute."""

    name = "python"
    settings = (SettingsTable("scripts.python", "jackfield_python.settings:PythonSettings"),)
    provides = {"jackfield_python.engine:PythonEngine": "jackfield_python.engine:engine"}

    jackfield_script_engines = later("jackfield_python.engine:engines")
    stop = when_built("jackfield_python.engine:PythonEngine", "jackfield_python.engine:stop")
