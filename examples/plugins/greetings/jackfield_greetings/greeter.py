"""`Greeter` over the extension point."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield_greetings.ports import LANGUAGES
from jackfield_greetings.settings import GreetingsSettings


class PoliteGreeter:
    """Greets in any language, with the mark of the settings at the end."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def greet(self, name: str, language: str) -> str:
        languages = self._context.extensions(LANGUAGES)
        found = languages.get(language)
        if found is None:
            raise NotFound(f"No package greets in {language!r}; languages are {', '.join(sorted(languages))}.")
        return found.greeting(name) + self._context.settings(GreetingsSettings).mark
