"""Expressions that Python evaluates by JavaScript's rules. Generated ones are compared with Node.js elsewhere."""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime, tzinfo
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from scopes import FakeSurroundings, scope_of

from jackfield.api.expressions import ExpressionProblem
from jackfield.api.javascript import NotExact
from jackfield.api.jsontext import Json
from jackfield_expressions.dates import luxon
from jackfield_expressions.evaluator.compiling import compile_expression
from jackfield_expressions.evaluator.parsing import NotSimple, parse
from jackfield_expressions.parameters import compile_parameters

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
        ("-7 % 3", -1),
        ("$json.l.length + $json.s.length", 16),
        ("$json['o']['k'].d", "deep"),
        ("$json.l[$json.o.list[0]]", "b"),
        ("$json.n === '42'", False),
        ("$json.n == '42'", True),
        ("null == undefined && null !== undefined", True),
        ("!$json.e", True),
        ("+'12.50'", 12.5),
        ("Number('0x10') + Number(' -Infinity ') + ''", "-Infinity"),
        ("+'1_000' || 'no number'", "no number"),
        ("JSON.stringify({a: $json.l, 'b c': {}, d: []})", '{"a":["a","b",3,null],"b c":{},"d":[]}'),
        ("JSON.stringify([{a: 1}], null, 2)", '[\n  {\n    "a": 1\n  }\n]'),
        ("{a: 1, b: [$json.n]}", {"a": 1, "b": [42]}),
        ("' x\u00a0'.trim()", "x"),
        ("'a-b-c'.replaceAll('-', '')", "abc"),
        ("$fromAI('a', 'b', 'string', 'c')", "c"),
        ("'it\\'s' + \"\\n\"", "it's\n"),
        ("$env.HOME ?? 'unset'", "unset"),
        ("$itemIndex + 1", 1),
        ("$workflow.name + $execution.mode", "Flowtest"),
        ("unknown", None),
        ("unknown || 'default'", "default"),
        ("unknown.x ?? 'thrown'", None),
        ("{ $json }.$json.n", 42),
        ("$json.s /* of whom */ // and why", "Ada Lovelace"),
        ("`a\\n\\`${1}`", "a\n`1"),
        ("JSON.stringify({a: $json.gone, b: [$json.gone]})", '{"b":[null]}'),
        ("[$json.gone].join('-') + 'x'", "x"),
        ("$json.o.toJsonString()", '{"k":{"d":"deep"},"list":[1,2]}'),
        ("$json.s.replace(/[aeiou]/g, '<$&>')", "Ad<a> L<o>v<e>l<a>c<e>"),
        ("$json.s.match(/(\\w+) (\\w+)/)[2]", "Lovelace"),
        ("$json.s.match(/x/)?.[0] ?? 'none'", "none"),
        ("'a-b'.replaceAll(/-/, '')", None),
        ("$json.l.map((x, i) => `${i}${x}`).join()", "0a,1b,23,3null"),
        ("$json.o.list.map(x => $json.l.map(y => x)).length", 2),
        ("$json.l.map(x => x.deep.er)", None),
        ("$json.gone.map(x => x)", None),
        ("$input.all().length + $input.all()[0].json.n", 43),
        ("new Date('2026-01-31').getTime() / 1000", 1769817600),
        ("new Date('2026-01-31T10:00:00Z').toISOString().split('T')[0]", "2026-01-31"),
        ("new Date(0) - new Date(5)", -5),
        ("$now.toISO()", "2026-09-21T14:13:20.123Z"),
        ("$today.toISODate() + $now.format(' HH:mm')", "2026-09-21 14:13"),
        ("{ at: $today }", {"at": "2026-09-21T00:00:00.000Z"}),
    ],
)
def test_value(source: str, value: object) -> None:
    found = value_of(source)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "source",
    [
        "x => x",
        "a = 1",
        "a++",
        "$json.s.match('a')",
        "typeof 1",
        "$json.o.toString",
        "$json.s.constructor",
        "$json['__proto__']",
        "({__proto__: 1})",
        "1 +",
        "(1",
        "`a",
        "`${1`",
        "a ?? b || c",
        "0x10",
        "1n",
        "01",
        "'\\x41'",
        "'\\u0041'",
        "void 0",
        "this",
        "$('A')",
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
        "$json.l.map(x => { return x })",
        "$json.l.map(x => {})",
        "$json.l.map(x => /* a block */ {})",
        "$json.l.map(x => // a block\n{})",
        "$json.l.map(function (x) { return x })",
        "$json.l.map(async x => x)",
        "$json.l.map((x = 1) => x)",
        "$json.l.map((...x) => x)",
        "$json.l.map((x, x) => x)",
        "$json.l.map(({ a: { b } }) => b)",
        "$json.l.map(parseInt)",
        "$json.l.map((a, b, c, d) => a)",
        "$json.l.sort()",
        "(x => x)(1)",
        "[x => x]",
        "{ f: /a/ }",
        "/a+(?=b)/.test('a')",
        "'a'.replace(/(a+)+/, '')",
        "'a'.replace(/a/y, '')",
        "/a/.exec('a')",
        "$json.s.match($json.e)",
        "new Date(2026, 1, 1)",
        "new Date",
        "new Map()",
        "Date",
        "Object.assign({}, $json)",
        "unknown(1)",
        "Infinity.x()",
        "arguments",
        "$now.toLocaleString()",
        "$now.diff($today, 'days').days",
        "$now.format('DDD')",
        "DateTime.fromRFC2822('x')",
        "$json.s.toDateTime('yyyy')",
        "$request.page",
        "$now.weekday",
        "$today['year']",
        "$now.startOf",
        "$json.s.slice(1)",
        "$json.l.filter(x => x)",
        "$json.l.map(String)",
        "[1].map(([x, ...y]) => x)",
        "[1].map(({ x }) => x)",
        "[1].map(([x, [y]]) => x)",
        "[1].map(([x = 1]) => x)",
        "f(...$json.l)",
        "[...$json.l]",
        "Math.max(1, 2)",
        "JSON.parse($json.s)",
        "/a/.test('a')",
        "/* open",
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
        "$json.l['map'] + ''",
        "$json.l.map + ''",
        "$json.s.link",
        "[$json.n / 0]",
        "1 / -0",
        "`${new Date(0)}`",
        "new Date(0) + ''",
        "[new Date(0)]",
        "new Date($json.gone)",
        "new Date('Mar 5, 2026')",
        "new Date('2026-02-30')",
        "$now == $now",
        "$now.plus(1.5, 'days')",
        "$now.plus(1, 'fortnights')",
        "$now.plus({ years: 500 })",
        "$now.plus(99999999999999, 'days')",
        "$json.s.match(/(x)?A/)[1]",
        "$json.s.match(/A/).index",
        "[NaN]",
        "'😀'.replace(/./gs, '')",
        "$json.s.replace(/(a)/, '$12')",
    ],
)
def test_what_python_would_not_get_right(source: str) -> None:
    with pytest.raises(NotExact):
        value_of(source)


def test_what_luxon_shows_with_an_offset_that_the_moment_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows 2022-03-27T00:30+00:00 for the first, since the zone's offset is another one today."""

    class Today(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Today:
            return cls(2026, 11, 28, tzinfo=tz)

    monkeypatch.setattr(luxon, "datetime", Today)
    around = FakeSurroundings(timezone="America/Scoresbysund")
    with pytest.raises(NotExact):
        value_of("DateTime.fromISO('2022-03-26T23:30:00').toISO()", around)
    for local, shown in (("2022-03-27T00:30:00", "2022-03-27T01:30"), ("2022-03-26T22:30:00", "2022-03-26T22:30")):
        assert str(value_of(f"DateTime.fromISO('{local}').toISO()", around)).startswith(shown)


def test_a_broken_reference_reaches_the_user() -> None:
    with pytest.raises(ExpressionProblem):
        value_of("$('gone').item.json.x ?? 'default'")
    around = FakeSurroundings({"A": [{"json": {"x": "y"}}], "None": []})
    assert value_of("$(`A`).item.json.x + $('A').first().json.x + $('A').last().json.x", around) == "yyy"
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
    with pytest.raises(NotExact):
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


PLAIN: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='aé\x1f"', max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_json_of_any_value(value: Json) -> None:
    """Other numbers and keys that are numbers have their own digits and order; Node.js is asked of these elsewhere."""
    scope = scope_of({"v": value})
    for source, expected in (
        ("JSON.stringify($json.v)", json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
        ("JSON.stringify($json.v, null, 2)", json.dumps(value, ensure_ascii=False, indent=2)),
    ):
        get = compile_expression(source)
        assert get is not None
        assert get(scope) == expected.replace("\\u007f", "\x7f")


def test_functions_over_lists_have_a_limit_of_time() -> None:
    numbers: Json = list(range(3000))
    get = compile_expression("$json.l.map(x => $json.l.map(y => y === x).length).length")
    assert get is not None
    begun = time.perf_counter()
    with pytest.raises(NotExact):
        get(scope_of({"l": numbers}))
    assert time.perf_counter() - begun < 2
    many = compile_expression("$json.l.map(x => x + 1).length")
    scope = scope_of({"l": numbers})
    assert many is not None
    with pytest.raises(NotExact):  # of all items together
        [many(scope) for _ in range(400)]


def test_now_is_the_same_for_every_item() -> None:
    around = FakeSurroundings(timezone="Asia/Tokyo")
    scope = scope_of({}, {}, around=around)
    get = compile_expression("$now.toISO()")
    assert get is not None
    first = get(scope)
    assert first == "2026-09-21T23:13:20.123+09:00"
    around.now += 5000
    scope.move(1)
    assert get(scope) == first


def test_dates_in_a_template_and_in_a_json_text() -> None:
    scope = scope_of({"a": 1})
    texts = compile_parameters({"t": "=at {{ $today }}", "j": '={"at": {{ $today }}, "l": {{ [$today] }}}'}, {"j"})
    assert texts.get(scope) == {
        "t": "at 2026-09-21T00:00:00.000Z",
        "j": '{"at": "2026-09-21T00:00:00.000Z", "l": ["2026-09-21T00:00:00.000Z"]}',
    }


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="$json.a('\"`[]{}?:+-*/!<>=&|%,; 12\n\\x", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tree = parse(text)
    except NotSimple:
        return
    assert isinstance(tree, tuple)
