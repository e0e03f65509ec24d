"""French for jackfield-greetings."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.plugin import Plugin, hookimpl
from jackfield_greetings.ports import Language


class French:
    """`Language`."""

    name = "french"

    def greeting(self, name: str) -> str:
        return f"Bonjour, {name}"


class FrenchPlugin(Plugin):
    """Gives greetings a language."""

    name = "greetings_french"
    requires = "1"

    @hookimpl
    def greetings_languages(self) -> Sequence[Language]:
        """One language."""
        return [French()]
