"""Constructs that too few expressions use to be evaluated in Python: what a worker makes of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from jackfield.api.jsontext import Json
from jackfield_expressions.parameters import compile_parameters

Ask = Callable[..., Awaitable[object]]
JSON: dict[str, Json] = {
    "s": "Ada Lovelace",
    "n": 42,
    "f": 19.99,
    "e": "",
    "l": ["a", "b", 3, None],
    "o": {"k": {"d": "deep"}, "list": [1, 2]},
}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'ab'.repeat($json.gone) + 'ab'.repeat(-0.5) + 'ab'.repeat('1.9')", "ab"),
        ("'ab'.repeat(-1)", None),
        ("Math.round(2.5) + Math.floor(-1.5) + Math.max(1, '3')", 4),
        ("Object.keys($json.o).join('+')", "k+list"),
        ("$json.f.toFixed(1)", "20.0"),
        ("(1.005).toFixed(2)", "1.00"),
        ("'abc'.slice(-2) + 'abc'.substring(2, 0) + 'abc'.at(-1)", "bcabc"),
        ("'7'.padStart(3, '0')", "007"),
        ("encodeURIComponent('a b&ü')", "a%20b%26%C3%BC"),
        ("parseInt('12px') + parseInt('-3')", 9),
        ("JSON.parse('{\"a\": [1]}').a[0]", 1),
        ("JSON.parse('{')", None),
        ("$json.l.first() + $json.l.includes('b')", "atrue"),
        ("$if($json.n > 1, 'big', 'small')", "big"),
        ("$ifEmpty($json.e, 'none')", "none"),
        ("{ ...$json.o, k: 1 }", {"k": 1, "list": [1, 2]}),
        ("{ ...null, ...$json.gone, ...1, a: $json.gone }", {}),
        ("[...$json.o.list, ...[3], $json.gone]", [1, 2, 3, None]),
        ("[...$json.n]", None),
        ("$json.o.isEmpty() || $json.o.hasField('k')", True),
        ("/^ada\\b/i.test($json.s)", True),
        ("$json.s.split(/\\s+/).length", 2),
        ("$json.l.map(String).join('|')", "a|b|3|null"),
        ("$json.l.filter(Boolean).length", 3),
        ("[{a: 1}, {a: 2}, {}].map(({ a }) => a)", [1, 2, None]),
        ("Object.entries($json.o).map(([k, v]) => k)", ["k", "list"]),
        ("$json.o.list.reduce((sum, x) => sum + x, 0)", 3),
        ("$json.o.list.find(x => x > 1)", 2),
        ("$json.o.list.some(x => $json.o.list.every(y => y <= x))", True),
        ("Math.max(...$json.o.list)", 2),
        ("Math.max(...[]) === -Infinity", True),
        ("(2.0).isInteger() && !$json.f.isInteger()", True),
        ("parseFloat('12.50 EUR') + parseFloat('.5')", 13),
        ("$now.plus(1, 'days').weekday", 2),
        ("[$now.startOf('year')]", ["2026-01-01T00:00:00.000Z"]),
        ("DateTime.fromISO('2026-03-01').toFormat('dd LLL yyyy')", "01 Mar 2026"),
        ("$now.setZone('Europe/Berlin').startOf('week').toISO()", "2026-09-21T00:00:00.000+02:00"),
        ("$json.s.replace(/^\\s+|e$/g, '')", "Ada Lovelac"),
    ],
)
async def test_value(ask: Ask, source: str, value: object) -> None:
    parameters = compile_parameters({"p": f"={{{{ {source} }}}}"}).by_javascript()
    found = await ask(parameters.sources[0], JSON, now_ms=1_790_000_000_123)
    assert (type(found), found) == (type(value), value)
