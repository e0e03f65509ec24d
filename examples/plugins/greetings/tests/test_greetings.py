"""Units of the plugin, with the fixtures that Jackfield brings for pytest."""

from __future__ import annotations

import pytest

from jackfield.api.errors import NotFound
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_greetings.greeter import PoliteGreeter
from jackfield_greetings.languages import ENGLISH
from jackfield_greetings.settings import GreetingsSettings


def greeter(make: MakeContext) -> PoliteGreeter:
    return PoliteGreeter(make(GreetingsSettings(mark="?"), ports={"greetings_languages": [ENGLISH]}))


def test_it_greets_with_the_mark_of_the_settings(jackfield_context: MakeContext) -> None:
    assert greeter(jackfield_context).greet("Ada", "english") == "Hello, Ada?"


def test_a_language_that_nobody_gives_is_told(jackfield_context: MakeContext) -> None:
    with pytest.raises(NotFound, match="languages are english"):
        greeter(jackfield_context).greet("Ada", "klingon")
