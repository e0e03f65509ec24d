"""Units of the plugin."""

from __future__ import annotations

import pytest

from jackfield_rhai_text.functions import FUNCTIONS, shorten, slug, words


def test_the_functions() -> None:
    assert slug("  Crème Brûlée, twice! ") == "creme-brulee-twice"
    assert words("to be\nor not") == ["to", "be", "or", "not"]
    assert shorten("a long text", 6) == "a lon\N{HORIZONTAL ELLIPSIS}"
    assert shorten("short", 6) == "short"


def test_what_they_do_not_take_is_said() -> None:
    with pytest.raises(TypeError, match="give a text, not a int"):
        slug(5)
    with pytest.raises(ValueError, match="at least 1"):
        shorten("text", 0)


def test_they_stand_in_one_namespace() -> None:
    assert [(one.name, one.arity) for one in FUNCTIONS] == [("text::slug", 1), ("text::words", 1), ("text::shorten", 2)]
