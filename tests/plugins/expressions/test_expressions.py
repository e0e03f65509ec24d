"""Parameters with expressions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scopes import FakeSurroundings, resolved, scope_of

from jackfield.api.javascript import UNDEFINED, number_text, to_string
from jackfield.api.jsontext import Json
from jackfield_expressions.parameters import compile_parameters
from jackfield_expressions.reading import reads_of

JSON = {
    "n": 5,
    "zero": 0,
    "no": False,
    "null": None,
    "empty": "",
    "list": [1, None, [2, "x"]],
    "object": {"a": 1},
    "f": 1.5,
}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ $json.n }}", "{{ $json.n }}"),
        ("= ", " "),
        ("=", ""),
        ("=text", "text"),
        ("={{ $json.n }}", 5),
        ("={{ $json.list }}", JSON["list"]),
        ("={{ $json.missing }}", None),
        ("= {{ $json.n }}", " 5"),
        ("={{ $json.n }} ", "5 "),
        ("=a{{ $json.zero }}{{ $json.no }}b", "a0falseb"),
        ("=a{{ $json.null }}{{ $json.missing }}{{ $json.empty }}b", "ab"),
        ("=x{{ $json.list }}", "x1,,2,x"),
        ("=x{{ $json.object }}", "x[object Object]"),
        ("=x{{ $json.f }}", "x1.5"),
        (r"=\{{ $json.n }}", r"\{{ $json.n }}"),
        ("={{ $json.n", 5),
    ],
)
def test_templates(template: str, expected: object) -> None:
    assert resolved(template, scope_of(JSON)) == expected


def test_expressions_at_any_depth() -> None:
    value = {"a": [{"b": "={{ $json.n }}", "c": "={{ text"}, "plain", 7], "d": {"e": "=x{{ $json.n }}"}}
    assert resolved(value, scope_of(JSON), [None]) == {"a": [{"b": 5, "c": None}, "plain", 7], "d": {"e": "x5"}}


def test_keys_keep_their_order() -> None:
    assert list(resolved({"z": "={{ 1 }}", "a": 1, "m": "={{ $json.n }}"}, scope_of(JSON), [1])) == ["z", "a", "m"]  # type: ignore[call-overload]


def test_parameters_without_expressions_are_literal() -> None:
    assert compile_parameters({"a": ["=x", {"b": 1}]}).literal == {"a": ["x", {"b": 1}]}
    assert compile_parameters({"a": "={{ 1 }}"}).literal is None
    assert compile_parameters({}).literal == {}


def test_resolving_never_changes_what_was_compiled() -> None:
    parameters = compile_parameters({"a": {"b": "={{ $json.n }}"}})
    first, second = parameters.get(scope_of({"n": 1})), parameters.get(scope_of({"n": 2}))
    assert (first, second) == ({"a": {"b": 1}}, {"a": {"b": 2}})


def test_each_source_goes_to_javascript_once() -> None:
    parameters = compile_parameters({"a": "={{ f(1) }}", "b": ["={{ f(1) }}"], "c": "={{ f(2) }} "})
    assert parameters.sources[0] == " f(1) "
    assert len(parameters.sources) == 2
    scope = scope_of({})
    scope.scripted = [2, "two"]
    assert parameters.get(scope) == {"a": 2, "b": [2], "c": "two "}
    assert [parameters.path_of(index) for index in (0, 1)] == ["a", "c"]


def test_the_parameter_at_fault_is_found() -> None:
    parameters = compile_parameters({"a": "={{ $json.n }}", "b": {"c": ["={{ $('gone').item.json.x }}"]}})
    assert parameters.blame(scope_of(JSON)) == "b.c[0]"
    assert parameters.blame(scope_of(JSON, around=FakeSurroundings({"gone": [{"json": {}}]}))) is None


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('={"a": {{ $json.o }}}', '{"a": {"x":[1,"é"]}}'),
        ("=[{{ $json.n }}, {{ $json.gone }}, {{ $json.l }}]", "[1, undefined, [1,null]]"),
        ('={"s": "{{ $json.s }}"}', '{"s": "text"}'),
        ("={{ $json.o }}", {"x": [1, "é"]}),
    ],
)
def test_a_json_text_prints_objects_as_json(template: str, expected: object) -> None:
    json: dict[str, Json] = {"o": {"x": [1, "é"]}, "n": 1, "l": [1, None], "s": "text"}
    parameters = compile_parameters({"a": template, "b": "=-{{ $json.o }}"}, {"a"})
    assert parameters.get(scope_of(json)) == {"a": expected, "b": "-[object Object]"}


@pytest.mark.parametrize("source", ["$json.gone", "$json.gone ?? undefined", "$json.o.gone", "f(1)"])
def test_what_is_undefined_is_told_from_null_where_that_is_asked(source: str) -> None:
    template = f"={{{{ {source} }}}}"
    parameters = compile_parameters({"a": template, "b": template}, undefined={"a"})
    scope = scope_of({"o": {}})
    scope.scripted = [[], None]  # JavaScript's answer: a list of no value, and JSON of undefined
    assert parameters.get(scope) == {"a": UNDEFINED, "b": None}
    assert compile_parameters({"a": "={{ $json.n }}"}, undefined={"a"}).get(scope_of({"n": None})) == {"a": None}


def test_variables_are_noticed() -> None:
    assert compile_parameters({"a": "={{ $vars.x }}"}).variables
    assert compile_parameters({"a": "={{ $vars.x + 1 }}"}).variables
    assert not compile_parameters({"a": "={{ $json.x }}"}).variables


@pytest.mark.parametrize(
    ("source", "known", "everything"),
    [
        ("1 + 1", set(), False),
        ("$json.a", set(), False),
        ("$('A').all().length", {"A"}, False),
        ('$("A b").first().json.x + $(`C`).last().json.y', {"A b", "C"}, False),
        (r"$('it\'s').first()", {"it's"}, False),
        ("$node['A'].json.x + $node.B.json.y", {"A", "B"}, False),
        ("$items('A', 0)", {"A"}, False),
        ("$(name).first()", set(), True),
        ("$items()", set(), True),
        ("$node[x].json", set(), True),
        ("`${$json.a}`", set(), False),
    ],
)
def test_which_nodes_a_source_names(source: str, known: set[str], everything: bool) -> None:
    reads = reads_of([source])
    assert (set(reads.nodes), reads.everything) == (known, everything)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (5.0, "5"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1.5e-7, "1.5e-7"),
        (0.000001, "0.000001"),
        (123456789.123, "123456789.123"),
        (-2.5e-10, "-2.5e-10"),
        (1e300, "1e+300"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_numbers_as_text(value: float, text: str) -> None:
    assert number_text(value) == text


def test_other_values_as_text() -> None:
    assert to_string([True, None, "x", {}, [1, [2]]]) == "true,,x,[object Object],1,2"
    assert to_string(None) == "null"
