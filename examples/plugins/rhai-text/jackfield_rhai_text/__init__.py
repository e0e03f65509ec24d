"""Functions on texts for scripts in Rhai."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class RhaiTextPlugin(Plugin):
    """Gives `text::slug`, `text::words` and `text::shorten`."""

    name = "rhai_text"
    requires = "1"

    jackfield_rhai_functions = later("jackfield_rhai_text.functions:FUNCTIONS")
