"""Regular expressions that Python matches give what they give in Node.js, or are left to JavaScript."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from node_js import MISSING, NODE, run_node

from jackfield.api.javascript import NotExact
from jackfield_expressions.evaluator.methods import call_method
from jackfield_expressions.operators import Thrown
from jackfield_expressions.patterns.syntax import LONGEST, NotSame, pattern_of

Case: TypeAlias = tuple[str, str, str, str]
"""A pattern, its flags, a text, and what a match is replaced with."""
EXAMPLES = int(os.environ.get("JACKFIELD_TEST_PATTERNS", "1500"))

SCRIPT = r"""
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const attempt = (call) => {
  try { return { value: call() ?? null } } catch (error) { return error.name }
};
console.log(JSON.stringify(cases.map(([source, flags, text, replacement]) => {
  const pattern = () => new RegExp(source, flags);
  return [
    attempt(() => text.match(pattern())),
    attempt(() => text.replace(pattern(), replacement)),
    attempt(() => text.replaceAll(pattern(), replacement)),
  ];
})));
"""
atoms = st.sampled_from(
    [
        *("a", "b", "1", " ", "-", "_", "é", ".", "^", "$", "]", '"'),
        *(
            r"\d",
            r"\w",
            r"\s",
            r"\D",
            r"\W",
            r"\S",
            r"\b",
            r"\B",
            r"\.",
            r"\n",
            r"\-",
            r"\/",
            r"\$",
            r"\u00e9",
            "(?=a)",
        ),
        *(
            "[ab]",
            "[^a]",
            "[a-c1]",
            r"[^\s]",
            r"[\s\S]",
            r"[\w.-]",
            "[^a-z0-9]",
            "[.]",
            "[-a]",
            "[a-]",
            r"[\d-]",
            "[A-Z]",
        ),
        *(r"[\]]", r"[^\n]"),
    ]
)
counts = st.sampled_from(["", "", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{2,}", "??", "{0,2}?"])
sequences = st.lists(st.tuples(atoms, counts).map("".join), min_size=1, max_size=4).map("".join)
grouped = st.tuples(st.sampled_from(["(", "(?:"]), sequences, st.sampled_from(["", "|b", "|\\d+"]), counts).map(
    lambda parts: f"{parts[0]}{parts[1]}{parts[2]}){parts[3]}"
)
patterns = st.lists(st.one_of(sequences, sequences, grouped), min_size=1, max_size=3).map("".join)
sources = st.one_of(patterns, patterns, st.tuples(patterns, patterns).map("|".join))
texts = st.text(alphabet='aabbcAB1 1-_é.É\n\r\u2028\u00a0$"]😀/', max_size=14)
replacements = st.sampled_from(["", "-", "<$&>", "$1", "$$", "[$2]", "$0", "a$"])
cases = st.tuples(sources, st.sampled_from(["", "g", "i", "gi", "m", "gm", "s", "gims"]), texts, replacements)


def generated(count: int) -> list[Case]:
    made: dict[Case, None] = {}
    unhurried = list(HealthCheck)

    @settings(
        max_examples=count, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=unhurried
    )
    @given(cases)
    def collect(case: Case) -> None:
        made[case] = None

    collect()
    return list(made)


def ours(source: str, flags: str, text: str, replacement: str) -> list[Any]:
    pattern = pattern_of(source, flags)

    def attempt(name: str, *arguments: object) -> Any:
        try:
            return {"value": call_method(text, name, [pattern, *arguments])}
        except Thrown:
            return "TypeError"
        except NotExact:
            return None

    return [attempt("match"), attempt("replace", replacement), attempt("replaceAll", replacement)]


def differing(known: Sequence[tuple[Case, list[Any]]]) -> list[tuple[Case, int, object, object]]:
    """What is not as in Node.js: the case, which call of it, our value, and the right one."""
    judged = run_node(SCRIPT, [case for case, _ in known])
    return [
        (case, place, value, expected[place])
        for (case, values), expected in zip(known, judged, strict=True)
        for place, value in enumerate(values)
        if value is not None and value != expected[place]
    ]


@pytest.mark.skipif(NODE is None, reason=MISSING)
def test_generated_patterns_agree() -> None:
    given_cases = generated(EXAMPLES)
    known = []
    for case in given_cases:
        try:
            known.append((case, ours(*case)))
        except NotSame:
            continue
    assert len(known) > len(given_cases) / 4
    assert differing(known) == []
    assert sum(value is not None for _, values in known for value in values) > 2 * len(known)


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("\\s+$", "g"),
        ("\\s+$", "gm"),
        ("\\s+", "g"),
        ("^\\s+|\\s+$", "g"),
        ("<(.+)>", ""),
        ("[\\s\\S]*<report>", ""),
        ("a.*b.*c", ""),
        ("(a+b*)x", "g"),
        ("a?a?a?a?a?aaaaa", ""),
        ("[a-z]{2,}\\d", "g"),
        ("(a|aa)+?b", ""),
        ("a*a*a*b", ""),
        ("\\d{1,8}\\d{1,8}x", ""),
    ],
)
def test_no_pattern_takes_long(source: str, flags: str) -> None:
    """The longest text that a pattern is matched with, made of what it likes least."""
    try:
        pattern = pattern_of(source, flags)
    except NotSame:
        return
    for piece in ("a", " ", "<", "1", "ab", "<a", "a1"):
        text = (piece * LONGEST)[: pattern.longest]
        begun = time.process_time()
        call_method(text, "replace", [pattern, ""])
        assert time.process_time() - begun < 0.5, (source, piece)


@pytest.mark.parametrize(
    "source",
    [
        "(a+)+",
        "(?:a|b)*",
        "(a)\\1",
        "(?=a)",
        "(?<n>a)",
        "a*",
        "[a-\uffff]",
        "x|",
        "[]",
        "[^]",
        "\\x41",
        "\\0",
        "a**",
        "{2}",
        "a{2",
        "\\p{L}",
    ],
)
def test_what_is_left_to_javascript(source: str) -> None:
    with pytest.raises(NotSame):
        pattern_of(source, "g")


@pytest.mark.parametrize("flags", ["y", "u", "gg", "v", "d"])
def test_flags_that_are_left_to_javascript(flags: str) -> None:
    with pytest.raises(NotSame):
        pattern_of("a", flags)


def test_halves_of_characters_and_long_texts_are_left_to_javascript() -> None:
    assert call_method("a😀b", "replace", [pattern_of("b", "g"), "c"]) == "a😀c"
    for text, source in (("a😀b", "[^a]"), ("a" * 100_000, "b"), ("<" * 2000, "<(.+)>")):
        with pytest.raises(NotExact):
            call_method(text, "replace", [pattern_of(source, "g"), ""])
