"""What expressions give: values and their types, and which errors reach the user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackfield.api.jsontext import Json
from jackfield.api.scripts import ExpressionError, ScriptData
from jackfield_javascript.engine import JavaScriptEngine

Ask = Callable[..., Awaitable[object]]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 1", 2),
        ("0.1", 0.1),
        ("'a' + 'b'", "ab"),
        ("`a${1}b`", "a1b"),
        ("true", True),
        ("null", None),
        ("undefined", None),
        ("NaN", None),
        ("1 / 0", None),
        ("[1, undefined, NaN, () => 1, Infinity]", [1, None, None, None, None]),
        ("{a: 1, b: undefined, c: {d: []}}", {"a": 1, "c": {"d": []}}),
        (" {a: 1}.a ", 1),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("new Date(NaN)", None),
        ("{at: new Date(0)}", {"at": "1970-01-01T00:00:00.000Z"}),
        ("10n", "10"),
        ("2n ** 70n", "1180591620717411303424"),
        ("[1n]", ["1"]),
        ("new Map([[1, 2]])", {}),
        ("new Set([1])", {}),
        ("Symbol('x')", None),
        ("/a/g", {}),
        ("-0", 0),
        ("(1, 2)", 2),
        ("$json.a;", 5),
        ("$json.a // the end", 5),
        ("/* first */ $json.a", 5),
        ("x = 5", 5),
        ("[x = 5, x + 1, typeof y]", [5, 6, "undefined"]),
        ("({toJSON() { return 'as JSON' }})", "as JSON"),
        ("'\\ud83d'", "\ufffd"),
        ("'\\\\ud83d'", "\\ud83d"),
        ("'\U0001f600'", "\U0001f600"),
        ("'a\\u0000b'", "a\0b"),
        ("'\\u2028'", "\u2028"),
        ("$json.a > 3 ? 'big' : 'small'", "big"),
        ("$json.list.map((x) => x * 2).filter((x) => x > 2)", [4, 6]),
        ("{...$json, a: 1}.a", 1),
        ("[...$json.list, 4]", [1, 2, 3, 4]),
        ("$json?.none?.deeper ?? 'default'", "default"),
        ("typeof unknown", "undefined"),
        ("unknown ?? 'default'", "default"),
        ("(function () { const x = 2; for (let i = 0; i < 3; i++) { if (i > 1) return x + i } })()", 4),
        ("isNaN('abc')", True),
        ("isFinite('1')", True),
        ("'a-b'.replace(/-/g, '/')", "a/b"),
        ("4 / 2 / 1", 2),
        ("Object.entries({a: 1})", [["a", 1]]),
        ("JSON.stringify({a: [1]})", '{"a":[1]}'),
        ("parseInt('12px')", 12),
        ("encodeURIComponent('a b')", "a%20b"),
        ("Math.max(1, 3)", 3),
        ("[3, 1].sort()", [1, 3]),
        ("new Error('x').message", "x"),
        ("(() => { const e = new Error('x'); e.name = 'Mine'; return `${e}` })()", "Mine: x"),
        ("Object.assign({}, {toString: 1}).toString", 1),
    ],
)
async def test_value(ask: Ask, source: str, value: object) -> None:
    assert await ask(source, {"a": 5, "list": [1, 2, 3]}) == value


@pytest.mark.parametrize(
    "source",
    [
        "$json.none.deeper",
        "$json.a()",
        "null.x",
        "(() => { throw new Error('x') })()",
        "(() => { throw null })()",
        "JSON.parse('{')",
        "new Date(NaN).toISOString()",
        "'x'.repeat(-1)",
        "new Array(-1)",
        "unknown()",
        "Symbol() + ''",
        "(function f() { return f() })()",
        "({get a() { throw 1 }}).a",
        "(() => { const x = 1; x = 2; return x })()",
        "BigInt('x')",
        "''.localeCompare.call(null)",
    ],
)
async def test_a_run_time_error_is_undefined(ask: Ask, source: str) -> None:
    assert await ask(source, {"a": 5}) is None


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("1 +", "not valid JavaScript"),
        ("if (true) 1", "not valid JavaScript"),
        ("let x = 1", "not valid JavaScript"),
        ("1 2", "not valid JavaScript"),
        ("$", "must call $"),
        ("({}).prototype", "'prototype'"),
        ("({})[`proto${'type'}`]", "'prototype'"),
        ("$if(1)", "$if()"),
        ("return 1", "not valid JavaScript"),
        ("'abc", "not valid JavaScript"),
        ("`abc", "not valid JavaScript"),
        ("/* abc", "not valid JavaScript"),
        ("...[1]", "not valid JavaScript"),
        ("x => x", "function"),
        ("Date", "function"),
        ("$('N').all", "function"),
        ("(() => { const a = {}; a.a = a; return a })()", "JSON"),
        ("({toJSON() { throw new Error('x') }})", "JSON"),
        ("'a'.toNumber()", "number"),
    ],
)
async def test_what_the_user_is_told(ask: Ask, source: str, part: str) -> None:
    value = await ask(source, {}, nodes={"N": {"runs": [{"outputs": [[]]}]}})
    assert isinstance(value, ExpressionError)
    assert part in value.message
    assert value.message.endswith(".")


async def test_every_index_and_every_source(engine: JavaScriptEngine) -> None:
    data = ScriptData(input=[{"json": {"n": n}} for n in range(5)])
    rows = await engine.evaluate(["$json.n", "$itemIndex", "1 +", "$input.all().length"], data, [4, 0, 2])
    assert [row[:2] for row in rows] == [[4, 4], [0, 0], [2, 2]]
    assert all(isinstance(row[2], ExpressionError) for row in rows)
    assert [row[3] for row in rows] == [5, 5, 5]


async def test_nothing_to_do(engine: JavaScriptEngine) -> None:
    data = ScriptData(input=[{"json": {}}])
    assert await engine.evaluate([], data, [0]) == [[]]
    assert await engine.evaluate(["1"], data, []) == []


async def test_an_index_without_an_item_sees_an_empty_one(engine: JavaScriptEngine) -> None:
    sources = ["$json.x ?? 'none'", "$input.item ?? 'none'", "$input.all()"]
    assert await engine.evaluate(sources, ScriptData(input=[]), [0]) == [["none", "none", []]]


async def test_a_change_of_the_data_does_not_outlive_the_expression(engine: JavaScriptEngine) -> None:
    sources = ["$json.list.sort()", "$json.list", "$('N').first().json.list.push(1)", "$('N').first().json.list"]
    nodes: dict[str, Json] = {"N": {"runs": [{"outputs": [[{"json": {"list": [5]}}]]}]}}
    data = ScriptData(input=[{"json": {"list": [2, 1]}}, {"json": {"list": [3, 0]}}], nodes=nodes)
    rows = await engine.evaluate(sources, data, [0, 1, 0])
    assert rows == [[[1, 2], [2, 1], 2, [5]], [[0, 3], [3, 0], 2, [5]], [[1, 2], [2, 1], 2, [5]]]


async def test_a_value_that_json_can_not_write_as_the_engine_does(ask: Ask) -> None:
    assert await ask("$json.big", {"big": 2**70}) == 2**70
    assert await ask("$json.half.length", {"half": "a\ud83d"}) == 2
    assert await ask("$json.half", {"half": "a\ud83d"}) == "a\ufffd"


async def test_keys_of_the_data_named_like_parts_of_objects(ask: Ask) -> None:
    names = dict.fromkeys(("__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "then"), 1)
    assert await ask("$json", names) == names
    assert await ask("({...$json})", names) == names
    assert await ask("[({}).then, ({}).x]", names) == [None, None]


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(-1e15, 1e15)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(value=JSON_VALUES)
async def test_json_passes_unchanged(engine: JavaScriptEngine, value: object) -> None:
    data = ScriptData(input=[{"json": {"value": value}}])  # type: ignore[dict-item]
    assert await engine.evaluate(["$json.value", "$input.all()"], data, [0]) == [[value, [{"json": {"value": value}}]]]
