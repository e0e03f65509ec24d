"""The port and the extension point: all that another package imports."""

from __future__ import annotations

from typing import Protocol

from jackfield.api.extensions import ExtensionPoint


class Language(Protocol):
    """A language to greet in."""

    @property
    def name(self) -> str:
        """In lower case, unique."""

    def greeting(self, name: str) -> str:
        """One line that greets `name`."""


class Greeter(Protocol):
    """The port: greets."""

    def greet(self, name: str, language: str) -> str:
        """Raises `NotFound` for a language that no package gives."""


LANGUAGES = ExtensionPoint("greetings_languages", Language)
