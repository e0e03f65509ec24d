"""Hostile expressions: none holds the daemon up, fills its memory, or gives a value that does."""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scopes import scope_of

from jackfield.api.javascript import NotExact
from jackfield.api.jsontext import Json
from jackfield_expressions.evaluator import compiling
from jackfield_expressions.evaluator.compiling import compile_expression
from jackfield_expressions.evaluator.functions import JsonPrinter
from jackfield_expressions.parameters import compile_parameters
from jackfield_expressions.patterns.methods import _replacement
from jackfield_expressions.scope import SECONDS, SECONDS_EACH
from jackfield_expressions.templates import split

DEEP: list[Json] = []
for _ in range(900):
    DEEP = [DEEP]
DATA: dict[str, Json] = {
    "text": "a" * 1_000_000,
    "letters": "a" * 2000,
    "run": "a" * 65_535 + "b",
    "blanks": " " * 65_535 + "x",
    "digits": "1" * 3_000_000,
    "numbers": list(range(400_000)),
    "few": list(range(1000)),
    "deep": DEEP,
}
TWICE = ".map(a => [a, a, a, a, a, a, a, a, a, a])"


def elsewhere(source: str) -> bool:
    """Whether JavaScript has to evaluate it."""
    get = compile_expression(source)
    assert get is not None, source
    try:
        get(scope_of(DATA))
    except NotExact:
        return True
    return False


@pytest.mark.parametrize(
    "source",
    [
        "$json.letters.split('').join($json.text)",
        "$json.letters.split('').map(x => $json.text).join('')",
        "$json.letters.replace(/a/g, $json.text)",
        "[$json.text].map(x => `" + "${x}" * 400 + "`)",
        "JSON.stringify([1]" + TWICE * 7 + ")",
        "JSON.stringify([1.5]" + TWICE * 7 + ", null, 4)",
        "([1]" + TWICE * 7 + ").join()",
        "[1]" + TWICE * 9,
        "[undefined]" + TWICE * 9,
        "[{}]" + ".map(a => ({ a, b: a, c: a, d: a }))" * 12,
        "$json.few.map(x => $json.text)",
    ],
)
def test_nothing_grows(source: str) -> None:
    tracemalloc.start()
    try:
        assert elsewhere(source)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "source",
    [
        "$json.blanks.replace(/\\s+$/m, '')",
        "$json.run.match(/a+$/gm)",
        "$json.run.match(/a+\\b/)",
        "$json.run.replace(/(a+)$|c/gm, '')",
        "$json.run.replace(/a{50,}?$/, '')",
        "$json.run.replace(/" + "a{100}" * 30 + "c/g, '')",
        "$json.letters.replace(/a*" + "." * 150 + "c/g, '')",
        "[" + "$json.few.map(x => `${$json.few}`)," * 20 + "]",
        "$json.numbers.join()",
        "`${$json.numbers}`",
        "({})[$json.numbers]",
        "JSON.stringify($json.numbers)",
        "Number($json.digits)",
        "$json.digits == 5",
        "`${$json.deep}`",
        "$json.deep.join()",
    ],
)
def test_nothing_takes_long(source: str) -> None:
    begun = time.perf_counter()
    assert elsewhere(source)
    assert time.perf_counter() - begun < 1


class Ticks:
    """A clock that moves by a step each time it is read."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_all_expressions_of_an_item_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Ticks(SECONDS / 10)
    monkeypatch.setattr(compiling, "_clock", ticks)
    get = compile_expression("$json.n > 1")
    assert get is not None
    scope = scope_of({"n": 2}, {"n": 2})
    assert [get(scope) for _ in range(9)] == [True] * 9
    with pytest.raises(NotExact):
        [get(scope) for _ in range(3)]
    left = scope.left
    scope.move(1)
    assert scope.left == pytest.approx(left + SECONDS_EACH)


def test_small_expressions_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_clock", Ticks(0.000_05))
    get = compile_expression("$json.n > 1")
    assert get is not None
    scope = scope_of({"n": 2})
    assert [get(scope) for _ in range(5000)][-1] is True
    assert scope.left == SECONDS


def test_keys_that_were_looked_at_are_bounded() -> None:
    printer = JsonPrinter()
    for start in range(0, 20_000, 1000):
        item: dict[str, Json] = {f"k{number}": 1 for number in range(start, start + 1000)}
        for text in (printer.stringify(item), printer.stringify(item)):
            assert text == json.dumps(item, separators=(",", ":"))
    assert len(printer.plain) <= 1024
    many: dict[str, Json] = {f"n{number}": 1 for number in range(5000)}
    for item in ({"x" * 65: 1}, many, {"7": 1, "seven": 7}, {"toJSON": 1}):
        with suppress(NotExact):
            printer.stringify(item)
        assert not printer.plain & item.keys()


def test_both_ways_to_print_json_agree() -> None:
    one, other = compile_expression("JSON.stringify($json)"), compile_expression("$json.toJsonString()")
    assert one is not None
    assert other is not None
    assert one(scope_of({"a": {"b": 1}})) == other(scope_of({"a": {"b": 1}})) == '{"a":{"b":1}}'
    assert compile_expression("$json.toJsonString(1)") is None


def test_long_replacements_are_not_kept() -> None:
    before = _replacement.cache_info().currsize
    get = compile_expression("'b'.replace(/b/, $json.text)")
    assert get is not None
    assert get(scope_of(DATA)) == DATA["text"]
    assert _replacement.cache_info().currsize == before


def test_many_unclosed_comments_in_a_template() -> None:
    begun = time.perf_counter()
    split("{{ /* }}" * 3000)
    assert time.perf_counter() - begun < 2


@pytest.mark.parametrize(
    "source",
    [
        "public",
        "[1].map(package => 1)",
        "{true}",
        "'\\\u2028'",
        "`\\\u2029`",
        "'.constructor'",
        "`a. constructor`",
    ],
)
def test_what_javascript_refuses_or_reads_otherwise(source: str) -> None:
    assert compile_expression(source) is None


def test_halves_of_characters_are_not_matched_in_python() -> None:
    assert elsewhere("'\U0001f600'.match(/[^a]{2,}/)")


def test_a_literal_has_methods() -> None:
    get = compile_expression("true.toString() + (5).toString()")
    assert get is not None
    assert get(scope_of({})) == "true5"


def test_lists_in_a_template_print_as_javascript_prints_them() -> None:
    assert compile_parameters({"p": "=a {{ [1.5, [null, 'x']] }}"}).get(scope_of({})) == {"p": "a 1.5,,x"}
    for source in ("[$json.big]", "$json.odd ?? 1"):
        with pytest.raises(NotExact):
            compile_parameters({"p": f"=a {{{{ {source} }}}}"}).get(scope_of({"big": 2**60, "odd": {"toString": 1}}))
