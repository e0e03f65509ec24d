"""JavaScript for expressions and Code nodes, in confined worker processes."""

from __future__ import annotations

from jackfield.api.expressions import ExpressionVocabulary
from jackfield.api.plugin import Plugin, SettingsTable, later, when_built


class JavaScriptPlugin(Plugin):
    """JavaScript for expressions and Code nodes, in confined worker processes."""

    name = "javascript"
    settings = (SettingsTable("scripts.javascript", "jackfield_javascript.settings:JavaScriptSettings"),)
    provides = {
        "jackfield_javascript.engine:JavaScriptEngine": "jackfield_javascript.engine:engine",
        ExpressionVocabulary: "jackfield_javascript.vocabulary:WrittenVocabulary",
    }

    jackfield_script_engines = later("jackfield_javascript.engine:engines")
    stop = when_built("jackfield_javascript.engine:JavaScriptEngine", "jackfield_javascript.engine:stop")
