"""Python's property paths and JavaScript's agree, on any data."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from scopes import FakeSurroundings, scope_of

from jackfield.api.jsontext import Json
from jackfield.api.scripts import ExpressionError, ScriptData, ScriptEngine
from jackfield_expressions.parameters import compile_parameters
from jackfield_expressions.paths import compile_path
from jackfield_expressions.values import FORBIDDEN, template_text
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_workers.pool import SharedWorkerPool

KEYS = [
    "a",
    "b",
    "x-y",
    "length",
    "0",
    "1",
    "größe",
    "constructor",
    "__proto__",
    "toString",
    "map",
    "trim",
    "hasOwnProperty",
]
FUNCTIONS = {"constructor", "toString", "map", "trim", "hasOwnProperty"}


def is_power_of_two(number: float) -> bool:
    return abs(math.frexp(number)[0]) == 0.5


# ECMA-262 (Number::toString) asks for the fewest digits that read back; QuickJS prints some powers of two with one
# more, such as 2 ** -44. The value is the same, so that only what prints it can tell.
floats = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not is_power_of_two(number))
numbers = st.integers(-(2**53), 2**53) | floats
texts = st.text(alphabet="aé😀 \x00'\"", max_size=4)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(KEYS), values, max_size=5)


def relaxed(examples: int) -> settings:
    """Without limits of time: a busy machine is no failure."""
    unhurried = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples, deadline=None, suppress_health_check=unhurried)


@st.composite
def paths(draw: st.DrawFn, roots: tuple[str, ...]) -> str:
    source = draw(st.sampled_from(roots))
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=4)):
        optional = draw(st.booleans())
        form = draw(st.sampled_from("dsq"))
        if form == "d" and key.isidentifier():
            source += ("?." if optional else ".") + key
        elif key.isdigit() and form == "d":
            source += ("?." if optional else "") + f"[{key}]"
        else:
            quote = '"' if form == "q" else "'"
            source += ("?." if optional else "") + f"[{quote}{key}{quote}]"
    return source


class Both:
    """The JavaScript engine beside the compiled paths."""

    def __init__(self, runner: asyncio.Runner, engine: ScriptEngine) -> None:
        self._runner = runner
        self._engine = engine

    def javascript(self, sources: list[str], item: dict[str, Json], other: dict[str, Json]) -> list[Any]:
        data = ScriptData(
            input=[{"json": item}],
            nodes={"N": {"runs": [{"outputs": [[{"json": other}]], "params": {}}], "output": 0}},
            paired={"N": [[0, 0]]},
            workflow={"id": "w1", "name": "Flow", "active": True},
            execution={"id": "e1", "mode": "test", "resumeUrl": "u"},
            variables={"a": "v"},
            environment={"a": "e"},
            node={"name": "M", "runIndex": 0, "parameters": {}},
        )
        return self._runner.run(self._engine.evaluate(sources, data, [0]))[0]

    def python(self, template: str, item: dict[str, Json], other: dict[str, Json]) -> object:
        around = FakeSurroundings({"N": [{"json": other}]}, {"a": "v"}, {"a": "e"})
        parameters = compile_parameters({"p": template})
        assert not parameters.sources
        found = parameters.get(scope_of(item, around=around))
        return found["p"]  # type: ignore[index]


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    settings = JavaScriptSettings(expression_timeout=60)  # the machine may be busy
    engine = JavaScriptEngine(settings, SharedWorkerPool())
    with asyncio.Runner() as runner:
        yield Both(runner, engine)
        runner.run(engine.close())


def same(left: object, right: object) -> bool:
    """Equal after JSON; numbers as JavaScript's."""
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and type(left) is not bool:
        return float(left) == float(right) or math.isclose(left, right, rel_tol=1e-15)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return left == right


ROOTS = (
    "$json",
    "$input.item.json",
    "$input.first().json",
    "$input.last().json",
    "$('N').item.json",
    '$("N").first().json',
    "$('N')?.last()?.json",
    '$node["N"].json',
    "$node.N.json",
)


@relaxed(150)
@given(objects, objects, st.lists(paths(ROOTS), min_size=1, max_size=8))
def test_values_agree(both: Both, item: dict[str, Json], other: dict[str, Json], sources: list[str]) -> None:
    for source, expected in zip(sources, both.javascript(sources, item, other), strict=True):
        if isinstance(expected, ExpressionError) or has_function(source):
            # A method is no data: JavaScript refuses it, a path in Python has nothing there.
            continue
        found = both.python(f"={{{{ {source} }}}}", item, other)
        assert same(found, expected), (source, json.dumps(item), found, expected)


def has_function(source: str) -> bool:
    return any(name in source for name in (*FUNCTIONS, "__proto__"))


@relaxed(60)
@given(objects)
def test_own_keys_agree_even_where_methods_have_their_names(both: Both, item: dict[str, Json]) -> None:
    keys = [key for key in item if key not in FORBIDDEN]
    sources = [f"$json['{key}']" for key in keys]
    if sources:
        for key, expected in zip(keys, both.javascript(sources, item, {}), strict=True):
            assert same(item[key], expected)
            assert same(both.python(f"={{{{ $json['{key}'] }}}}", item, {}), expected)


@relaxed(100)
@given(st.lists(values, min_size=1, max_size=6))
def test_templates_print_alike(both: Both, parts: list[Json]) -> None:
    assume('"toString"' not in json.dumps(parts))  # in JavaScript such a field hides the method that makes the text
    item: dict[str, Json] = {f"k{index}": value for index, value in enumerate(parts)}
    template = "=|" + "|".join(f"{{{{ $json.k{index} }}}}" for index in range(len(parts)))
    source = "[" + ",".join(f"$json.k{index}" for index in range(len(parts))) + "].map(v => '|' + (v ?? '')).join('')"
    assert both.python(template, item, {}) == both.javascript([source], item, {})[0]


@pytest.mark.parametrize(
    "source", ["$execution.id", "$workflow.name", "$vars.a", "$env.a", "$vars.b", "$itemIndex", "$runIndex"]
)
def test_facts_agree(both: Both, source: str) -> None:
    assert both.python(f"={{{{ {source} }}}}", {}, {}) == both.javascript([source], {}, {})[0]


def test_powers_of_two_read_back_although_they_may_print_longer(both: Both) -> None:
    for exponent in range(-1074, 1024):
        assert float(template_text(2.0**exponent)) == 2.0**exponent
    [text] = both.javascript(["'' + $json.x"], {"x": 2.0**-44}, {})
    assert float(text) == 2.0**-44
    assert both.python("=>{{ $json.x }}", {"x": 2.0**-44}, {}) == ">5.684341886080802e-14"


def test_a_joined_template_prints_dates_and_objects_by_javascripts_rules(both: Both) -> None:
    parameters = compile_parameters(
        {"p": "=on {{ new Date(0).toISOString().slice(0, 4) }} {{ ({}).x }}{{ [1, [2]] }};"}
    )
    scope = scope_of({})
    scope.scripted = both.javascript(list(parameters.sources), {}, {})
    assert parameters.get(scope) == {"p": "on 1970 1,2;"}


def test_a_json_text_prints_alike(both: Both) -> None:
    item: dict[str, Json] = {"o": {"x": [1, "é"]}, "n": 1.5, "t": True, "s": "text", "l": []}
    for key in (*item, "gone"):
        python = compile_parameters({"p": f"=<{{{{ $json.{key} }}}}"}, {"p"})
        javascript = compile_parameters({"p": f"=<{{{{ (() => $json.{key})() }}}}"}, {"p"})
        scope = scope_of(item)
        assert not python.sources
        scope.scripted = both.javascript(list(javascript.sources), item, {})
        assert python.get(scope) == javascript.get(scope), key


def test_every_path_here_is_one(both: Both) -> None:
    assert all(compile_path(root) is not None for root in ROOTS)
