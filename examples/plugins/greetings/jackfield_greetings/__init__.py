"""Greets in the languages that packages give."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.plugin import Plugin, SettingsTable, hookimpl, later
from jackfield_greetings.languages import ENGLISH
from jackfield_greetings.ports import LANGUAGES, Greeter, Language


class GreetingsPlugin(Plugin):
    """Greetings: a port, an extension point and a route."""

    name = "greetings"
    requires = "1"
    settings = (SettingsTable("greetings", "jackfield_greetings.settings:GreetingsSettings"),)
    provides = {Greeter: "jackfield_greetings.greeter:PoliteGreeter"}
    extension_points = (LANGUAGES,)

    jackfield_blueprints = later("jackfield_greetings.routes:blueprints")

    @hookimpl
    def greetings_languages(self) -> Sequence[Language]:
        """Its own language comes through the same point as everybody's."""
        return [ENGLISH]
