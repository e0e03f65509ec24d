"""The list of differences is read as it is meant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from . import listed
from .cases import Document, NodeCase, batches
from .normal import runs, text

ENTRIES = """
[[difference]]
family = "letters"
cases = ["a*", "b[0]"]
reason = "They are others."
"""
NAMES = ["a", "a.b\nc", "b[0]", "b0"]


@pytest.fixture(autouse=True)
def entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "letters.toml").write_text(ENTRIES)
    monkeypatch.setattr(listed, "DIRECTORY", tmp_path)


def test_a_star_stands_for_any_text_and_nothing_else_is_a_pattern() -> None:
    assert listed.accepted("letters", NAMES) == {"a", "a.b\nc", "b[0]"}
    assert not listed.accepted("digits", NAMES)


def test_an_entry_without_a_difference_is_a_problem() -> None:
    assert not listed.problems("letters", NAMES, {"a", "a.b\nc", "b[0]"})
    assert listed.problems("letters", NAMES, {"a", "b[0]"}) == ["'a.b\\nc' is listed under 'a*' and does not differ"]
    assert listed.problems("letters", ["a"], {"a"}) == ["the list names 'b[0]', and the family has no such case"]


def test_cases_with_the_same_items_share_a_workflow() -> None:
    one: Sequence[Document] = [{"json": {}}]
    other: Sequence[Document] = [{"json": {"a": 1}}]
    cases = [NodeCase(str(n), {}, one if n % 2 else other) for n in range(6)]
    assert [[case.name for case in batch] for batch in batches(cases, 2)] == [["0", "2"], ["4"], ["1", "3"], ["5"]]


def test_the_same_data_in_other_words_is_equal() -> None:
    ours = {"outputs": [[{"json": {"n": 1}, "pairedItem": {"item": 0}}], []], "error": None}
    theirs = {"outputs": [[{"json": {"n": 1.0}, "pairedItem": [{"item": 0, "input": 0}]}]]}
    assert text(runs([ours], texts=False)) == text(runs([theirs], texts=False))
    failed = {"outputs": [[{"json": {"error": "no"}}]]}
    assert text(runs([failed], texts=False)) == text(
        runs([{"outputs": [[{"json": {"error": "not so"}}]]}], texts=False)
    )
    assert text(runs([failed], texts=True)) != text(runs([ours], texts=True))
