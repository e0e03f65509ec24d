"""Small parts of answers: lists in sentences, and names of files to save."""

from __future__ import annotations

import pytest
from quart import Response

from jackfield.api.http import save_as
from jackfield.api.sentences import listed


@pytest.mark.parametrize(
    ("names", "told"), [("", ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b, c and d")]
)
def test_names_are_listed_in_a_sentence(names: str, told: str) -> None:
    assert listed(list(names)) == told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("usage.csv", 'filename="usage.csv"'),
        ('a"; x="1', "filename*=UTF-8''a%22%3B%20x%3D%221"),
        ("ä\r\n.html", "filename*=UTF-8''%C3%A4%0D%0A.html"),
        ("../up", "filename*=UTF-8''..%2Fup"),
        (".hidden", "filename*=UTF-8''.hidden"),
        ("\ud800", "filename*=UTF-8''%3F"),
        ("x" * 300, f'filename="{"x" * 255}"'),
    ],
)
def test_a_file_to_save_has_its_name(name: str, told: str) -> None:
    answer = Response("")
    save_as(answer, name)
    assert answer.headers["Content-Disposition"] == f"attachment; {told}"
