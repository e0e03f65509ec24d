"""Plain property paths in Python."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scopes import FakeSurroundings, scope_of

from jackfield.api.expressions import ExpressionProblem
from jackfield_expressions.paths import compile_path

ITEM: dict[str, Any] = {
    "a": {"b": [1, {"c": "deep"}], "null": None, "zero": 0},
    "x-y": {"z": 1},
    "length": "own",
    "text": "añ😀z",
    "constructor": {"own": 1},
    "3": "three",
    "größe": 5,
    "$d": {"_e": 1},
}


def value(source: str, **around: Any) -> object:
    get = compile_path(source)
    assert get is not None, source
    return get(scope_of(ITEM, {"second": 2}, around=FakeSurroundings(**around)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$json", ITEM),
        ("$json.a.b[0]", 1),
        ("  $json . a\n.b [1] . c ", "deep"),
        ("$json['a'][\"b\"][1]['c']", "deep"),
        ("$json['x-y'].z", 1),
        ("$json?.a?.['b']?.[1]?.c", "deep"),
        ("$json.größe", 5),
        ("$json.$d._e", 1),
        ("$json.a.b.length", 2),
        ("$json.length", "own"),
        ("$json.a.length", None),
        ("$json.text.length", 5),
        ("$json.text[0]", "a"),
        ("$json.text[1]", "ñ"),
        ("$json.text[2]", "\ufffd"),
        ("$json.text[9]", None),
        ("$json.a.b['0']", 1),
        ("$json.a.b['00']", None),
        ("$json.a.b[7]", None),
        ("$json[3]", "three"),
        ("$json.missing", None),
        ("$json.missing.more.and.more", None),
        ("$json.a.null", None),
        ("$json.a.null.more", None),
        ("$json.a.zero", 0),
        ("$json.a.zero.more", None),
        ("$json.a.b.push", None),
        ("$json.text.trim", None),
        ("$json.a.toString", None),
        ("$json.a.b;", [1, {"c": "deep"}]),
        ("$binary.data.mimeType", None),
        ("$itemIndex", 0),
        ("$runIndex", 0),
        ("$input.item.json.a.zero", 0),
        ("$input.first().json.text.length", 5),
        ("$input.last().json.second", 2),
        ("$execution.id", "e1"),
        ("$execution.mode", "test"),
        ("$workflow.name", "Flow"),
        ("$workflow.name.length", 4),
        ("$workflow.active", True),
        ("$vars.x", None),
        ("$env.HOME", None),
    ],
)
def test_values(source: str, expected: object) -> None:
    assert value(source) == expected


def test_other_nodes() -> None:
    nodes = {"N 1": [{"json": {"n": 1}}, {"json": {"n": 2}}], "empty": []}
    for source, expected in {
        "$('N 1').item.json.n": 1,
        '$("N 1").first().json.n': 1,
        "$(`N 1`).last().json['n']": 2,
        "$node['N 1'].json.n": 1,
        "$('empty').first().json.n": None,
        "$('empty').last().json": None,
    }.items():
        assert value(source, nodes=nodes) == expected, source


@pytest.mark.parametrize("source", ["$('gone').item.json.n", "$('gone').first().json.n", "$node.gone.json.n"])
def test_a_node_that_is_not_there_is_told(source: str) -> None:
    with pytest.raises(ExpressionProblem):
        value(source)


def test_variables_and_environment() -> None:
    assert value("$vars.a", variables={"a": "x"}) == "x"
    assert value("$env['A'].length", environment={"A": "xyz"}) == 3


@pytest.mark.parametrize(
    "source",
    [
        "$json.constructor",
        "$json.a.constructor.own",
        "",
        "1",
        "'text'",
        "json.a",
        "$json.a()",
        "$json.a.b.join(',')",
        "$json.a + 1",
        "$json.a || 1",
        "$json[a]",
        "$json[$json.a]",
        "$json[-1]",
        "$json[1.5]",
        "$json[01]",
        "$json.1",
        "$json['a\\n']",
        "$json.a // comment",
        "$json.x²",
        "$json..a",
        "$json.a b",
        "$now",
        "$today.year",
        "$('N').all()",
        "$('N').item.binary",
        "$('N').first(1).json.x",
        "$('N').isExecuted",
        "$(name).item.json",
        "$node.N.parameter.x",
        "$input.all()",
        "$input.params.x",
        "$execution.customData.x",
        "$vars",
        "$env",
        "$node",
        "$items('N')[0].json.x",
        "$prevNode.name",
        "$jsonx.a",
        "$json`x`",
        "!$json.a",
        "...$json.a",
    ],
)
def test_the_rest_is_left_to_javascript(source: str) -> None:
    assert compile_path(source) is None
