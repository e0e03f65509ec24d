"""Expressions that Python evaluates by JavaScript's rules. Generated ones are compared with Node.js elsewhere."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from scopes import FakeSurroundings, scope_of

from jackfield.api.jsontext import Json
from jackfield_workflows.expressions import compile_parameters
from jackfield_workflows.jscompile import compile_expression
from jackfield_workflows.jsparse import NotSimple, parse
from jackfield_workflows.jsvalues import Beyond
from jackfield_workflows.scope import ExpressionProblem

JSON: dict[str, Json] = {
    "s": "Ada Lovelace",
    "n": 42,
    "f": 19.99,
    "t": True,
    "z": None,
    "e": "",
    "big": 2**60,
    "u": "Zürich",
    "l": ["a", "b", 3, None],
    "o": {"k": {"d": "deep"}, "list": [1, 2]},
    "x": {"toString": 1},
}


def value_of(source: str, around: FakeSurroundings | None = None) -> object:
    get = compile_expression(source)
    assert get is not None, source
    return get(scope_of(JSON, around=around))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("$json.gone || 'default'", "default"),
        ("$json.e ?? 'default'", ""),
        ("$json.z ?? $json.gone ?? 1", 1),
        ("$json.gone?.deep.er ?? 'x'", "x"),
        ("$json.gone.deep ?? 'x'", None),
        ("($json.gone?.a).b ?? 'x'", None),
        ("$json.n > 41 && $json.t ? 'yes' : 'no'", "yes"),
        ("$json.s.split(' ')[1].toUpperCase()", "LOVELACE"),
        ("$json.l.join()", "a,b,3,"),
        (
            "`${$json.s} is ${$json.n + 1}, ${$json.z} ${$json.gone} ${[1, [2]]} ${$json.o}`",
            "Ada Lovelace is 43, null undefined 1,2 [object Object]",
        ),
        ("$json.n / 8", 5.25),
        ("$json.n / 7", 6),
        ("'5' * '2'", 10),
        ("'5' + 2 + null", "52null"),
        ("'ab'.repeat($json.gone) + 'ab'.repeat(-0.5) + 'ab'.repeat('1.9')", "ab"),
        ("'ab'.repeat(-1)", None),
        ("-7 % 3", -1),
        ("$json.l.length + $json.s.length", 16),
        ("$json['o']['k'].d", "deep"),
        ("$json.l[$json.o.list[0]]", "b"),
        ("$json.n === '42'", False),
        ("$json.n == '42'", True),
        ("null == undefined && null !== undefined", True),
        ("!$json.e", True),
        ("+'12.50'", 12.5),
        ("Math.round(2.5) + Math.floor(-1.5) + Math.max(1, '3')", 4),
        ("JSON.stringify({a: $json.l, 'b c': {}, d: []})", '{"a":["a","b",3,null],"b c":{},"d":[]}'),
        ("JSON.stringify([{a: 1}], null, 2)", '[\n  {\n    "a": 1\n  }\n]'),
        ("Object.keys($json.o).join('+')", "k+list"),
        ("{a: 1, b: [$json.n]}", {"a": 1, "b": [42]}),
        ("$json.f.toFixed(1)", "20.0"),
        ("(1.005).toFixed(2)", "1.00"),
        ("' x\u00a0'.trim()", "x"),
        ("'a-b-c'.replaceAll('-', '')", "abc"),
        ("'abc'.slice(-2) + 'abc'.substring(2, 0) + 'abc'.at(-1)", "bcabc"),
        ("'7'.padStart(3, '0')", "007"),
        ("encodeURIComponent('a b&ü')", "a%20b%26%C3%BC"),
        ("parseInt('12px') + parseInt('-3')", 9),
        ("JSON.parse('{\"a\": [1]}').a[0]", 1),
        ("JSON.parse('{')", None),
        ("$json.l.first() + $json.l.includes('b')", "atrue"),
        ("$if($json.n > 1, 'big', 'small')", "big"),
        ("$ifEmpty($json.e, 'none')", "none"),
        ("$fromAI('a', 'b', 'string', 'c')", "c"),
        ("'it\\'s' + \"\\n\"", "it's\n"),
        ("$env.HOME ?? 'unset'", "unset"),
        ("$itemIndex + 1", 1),
        ("$workflow.name + $execution.mode", "Flowtest"),
    ],
)
def test_value(source: str, value: object) -> None:
    found = value_of(source)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "source",
    [
        "x => x",
        "/a/.test('a')",
        "a = 1",
        "a++",
        "new Date()",
        "unknown",
        "unknown.x",
        "$json.s.match('a')",
        "typeof 1",
        "$json.o.toString",
        "$json.s.constructor",
        "$json['__proto__']",
        "({__proto__: 1})",
        "{...$json}",
        "{$json}",
        "[...$json.l]",
        "1 +",
        "(1",
        "`a",
        "`${1`",
        "a ?? b || c",
        "$json.s /* c */",
        "1 // c",
        "0x10",
        "1n",
        "01",
        "'\\x41'",
        "'\\u0041'",
        "$json.l.map(String)",
        "void 0",
        "this",
        "$('A')",
        "$('A').all()",
        "$input.all()",
        "$now",
        "Math.random()",
        "a ? b",
        "{1: 2}",
        "$json.s?.()",
        "function () {}",
        "async () => 1",
        "1 ** 2",
        "~1",
        "1 << 2",
        "1, 2",
        "eval('1')",
        "Date.now()",
    ],
)
def test_what_is_left_to_javascript(source: str) -> None:
    assert compile_expression(source) is None


@pytest.mark.parametrize(
    "source",
    [
        "$json.big + 1",
        "$json.u.toUpperCase()",
        "$json.u[0] + 'x'",
        "`${$json.big}`",
        "$json.x + ''",
        "$json.o === $json.o",
        "'ä' < 'b'",
        "'a'.replace('a', '$&')",
        "'x'.repeat(2000000)",
        "JSON.stringify({a: $json.gone})",
        "[$json.gone].join()",
        "JSON.parse('{\"n\": 12345678901234567890}')",
        "$json.l['map'] + ''",
        "$json.l.map + ''",
        "$json.s.link",
        "$json.o.isEmpty()",
        "Number('0x10')",
        "[$json.n / 0]",
        "1 / -0",
        "''.repeat(100000000 * 100000000000)",
    ],
)
def test_what_python_would_not_get_right(source: str) -> None:
    with pytest.raises(Beyond):
        value_of(source)


def test_a_broken_reference_reaches_the_user() -> None:
    with pytest.raises(ExpressionProblem):
        value_of("$('gone').item.json.x ?? 'default'")
    around = FakeSurroundings({"A": [{"json": {"x": "y"}}], "None": []})
    assert value_of("$('A').item.json.x + $('A').first().json.x + $('A').last().json.x", around) == "yyy"
    assert value_of("$('None').first()?.json.x ?? 'none'", around) == "none"
    assert value_of("$('None').first().json.x ?? 'none'", around) is None


def test_the_same_parameters_for_javascript() -> None:
    parameters = compile_parameters({"a": "={{ $json.n + 1 }}", "b": "={{ $json.n }}"})
    assert parameters.sources == ()
    whole = parameters.by_javascript()
    assert whole.sources == (" $json.n + 1 ",)
    assert whole.by_javascript() is whole


def test_no_more_work_than_the_data_is_long() -> None:
    """Growing texts and deep trees are refused, so that an expression can't hold up the daemon."""
    chain = "$json.s" + ".replaceAll('a', 'aaaaaaaaaaaaaaaaaaaa')" * 40
    begun = time.perf_counter()
    with pytest.raises(Beyond):
        value_of(chain)
    assert time.perf_counter() - begun < 5
    for source in (
        "(" * 500 + "1" + ")" * 500,
        "[" * 500 + "]" * 500,
        "!" * 500 + "1",
        "1" + "+1" * 500,
        "1" + "?1:1" * 400,
    ):
        assert compile_expression(source) is None


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="$json.a('\"`[]{}?:+-*/!<>=&|%,; 12\n\\x", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse(text)
    except NotSimple:
        return
    assert isinstance(tree, tuple)
