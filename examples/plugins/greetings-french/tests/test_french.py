"""The language, as the plugin greetings asks for it."""

from __future__ import annotations

from jackfield_greetings.ports import Language
from jackfield_greetings_french import French


def test_it_is_a_language() -> None:
    language: Language = French()
    assert (language.name, language.greeting("Ada")) == ("french", "Bonjour, Ada")
