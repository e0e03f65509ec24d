"""What of a screen is the agent's answer."""

from __future__ import annotations

import pytest

from jackfield_terminal.driving.answers import Turn, said_since

BEFORE = ("welcome", "> ", "")


@pytest.mark.parametrize(
    ("said", "shown", "answer"),
    [
        ("hi", ("welcome", "> hi", "", "this is it"), "this is it"),
        ("a", ("welcome", "> a", "a banana"), "a banana"),
        ("one\ntwo", ("welcome", "> one", "  two", "three"), "three"),
        ("a long line of words", ("welcome", "> a long line", "of wo", "rds", "answer"), "answer"),
        ("boxed", ("welcome", "╭───────╮", "│ boxed │", "╰───────╯", "answer"), "╰───────╯\nanswer"),
        ("# title", ("welcome", "> # title", "answer"), "answer"),
        ("ls", ("welcome", "me@host:~$ ls", "file"), "file"),
        ("not echoed", ("welcome", "answer"), "answer"),
        ("nothing new", BEFORE, ""),
        ("", ("other",), "other"),
    ],
)
def test_the_answer_is_what_is_new_without_the_echo(said: str, shown: tuple[str, ...], answer: str) -> None:
    assert said_since(Turn(BEFORE, said), shown) == answer
