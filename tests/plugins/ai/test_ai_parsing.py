"""Output parsers, schemas and `$fromAI`: what they promise of any text and any JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.ai import Completion, Message, ParseProblem
from jackfield.api.json_schemas import problems, schema_of
from jackfield.api.nodes import NodeError
from jackfield_ai.parsing.parsers import FixingParser, ListParser, StructuredParser, filled
from jackfield_ai.parsing.texts import json_in
from jackfield_ai.tools.from_ai import schema_in

SCALARS = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | st.text(max_size=20)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


@given(VALUES)
def test_a_value_fits_the_schema_made_of_it(value: Any) -> None:
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(value, list) and any(problems(one, schema_of(first, required=True)) for one in value):
        return
    if _mixed(value):
        return
    assert problems(value, schema_of(value, required=True)) == []


def _mixed(value: Any) -> bool:
    """Whether a list in it has elements of another form than its first, which is what the schema is made of."""
    if isinstance(value, dict):
        return any(_mixed(one) for one in value.values())
    if isinstance(value, list):
        made = schema_of(value[0], required=True) if value else {}
        return any(_mixed(one) or problems(one, made) for one in value)
    return False


@given(
    OBJECTS, st.sampled_from(["{}", "```json\n{}\n```", "Here you are:\n```\n{}\n```\nBye.", "Sure! {} Hope it helps."])
)
def test_json_is_found_whatever_stands_around_it(value: Any, around: str) -> None:
    text = around.replace("{}", json.dumps(value), 1)
    if "```" in json.dumps(value):
        return
    assert json_in(text) == value


@given(st.text(max_size=200))
def test_any_text_is_json_or_a_parse_problem(text: str) -> None:
    try:
        found = json_in(text)
    except ParseProblem:
        return
    assert json.loads(json.dumps(found)) == found


@given(OBJECTS, VALUES)
async def test_a_parser_gives_only_what_fits(example: Any, value: Any) -> None:
    schema = schema_of(example, required=True)
    try:
        found = await StructuredParser(schema).parse(json.dumps(value))
    except ParseProblem:
        return
    assert problems(found, schema) == []


async def test_one_field_around_the_value_is_taken_off() -> None:
    parser = StructuredParser({"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]})
    assert await parser.parse('{"output": {"a": 1}}') == {"a": 1}
    with pytest.raises(ParseProblem, match="a is missing"):
        await parser.parse('{"output": {"b": 1}}')


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"type": "integer"}, 1.5, "must be an integer"),
        ({"type": "integer"}, 2.0, None),
        ({"type": ["string", "null"]}, None, None),
        ({"type": "boolean"}, 1, "must be a boolean"),
        ({"enum": ["a", "b"]}, "c", 'must be one of "a", "b"'),
        ({"const": 1}, True, "must be 1"),
        ({"minimum": 3}, 2, "must be at least 3"),
        ({"maxItems": 1}, [1, 2], "must have at most 1 elements"),
        ({"minLength": 2}, "a", "must have at least 2 characters"),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, "b must not be there"),
        ({"items": {"type": "string"}}, ["a", 1], "[1] must be a string"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "must fit one of the alternatives"),
        ({"oneOf": [{"type": "number"}, {"minimum": 0}]}, 1, "must fit exactly one"),
        ({"allOf": [{"type": "object", "required": ["x"]}]}, {}, "x is missing"),
        ({"type": "any thing"}, 1, None),
        ({"stockSymbol": "x"}, {"stockSymbol": 1}, None),
    ],
)
def test_what_a_schema_says(schema: Any, value: Any, told: str | None) -> None:
    found = problems(value, schema)
    assert found == [] if told is None else told in found[0]


@given(VALUES, VALUES)
def test_any_schema_can_be_checked(value: Any, schema: Any) -> None:
    assert len(problems(value, schema)) <= 10


def test_an_open_fence_before_many_blanks_is_read_quickly() -> None:
    """In time that grows with the text: with its square this would take minutes."""
    with pytest.raises(ParseProblem):
        json_in("```" + " " * 200_000)


async def test_a_list_loses_its_bullets() -> None:
    assert await ListParser().parse("1. a\n2) b\n- c\n\n* d\n") == ["a", "b", "c", "d"]
    assert await ListParser(2, ",").parse("a, b, c") == ["a", "b"]


class Mending:
    name = "m"

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []

    async def complete(self, messages: Any, *, tools: Any = (), json: bool = False) -> Completion:
        self.asked.append(messages[0].text)
        return Completion(Message("assistant", self.text))


async def test_a_model_mends_once() -> None:
    inner = StructuredParser({"type": "object", "required": ["a"]})
    model = Mending('{"a": 1}')
    assert await FixingParser(inner, model).parse("{b}") == {"a": 1}
    assert "{b}" in model.asked[0]
    assert "JSON Schema" in model.asked[0]
    with pytest.raises(ParseProblem):
        await FixingParser(inner, Mending("no")).parse("no")


def test_a_template_is_filled_once() -> None:
    assert filled("{a} {b} {c}", a="{b}", b="x") == "{b} x {c}"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("={{ $fromAI('a') }}", {"properties": {"a": {"type": "string"}}, "required": ["a"]}),
        (
            "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('b', `What, (exactly)?`, 'number') }}",
            {"properties": {"b": {"type": "number", "description": "What, (exactly)?"}}, "required": ["b"]},
        ),
        ("={{ $fromai(\"c\", '', 'boolean', false) }}", {"properties": {"c": {"type": "boolean"}}}),
        ("={{ $fromAI('d', 'it\\'s', 'json') }}", {"properties": {"d": {"description": "it's"}}, "required": ["d"]}),
        ("={{ $fromAI(name) }}", {"properties": {}}),
        ("={{ $fromAI('open'", {"properties": {}}),
        ("$fromAI('literal')", {"properties": {}}),
    ],
)
def test_what_a_tool_asks_of_the_model(written: str, expected: Any) -> None:
    assert schema_in({"deep": [{"field": written}]}) == {"type": "object", **expected}


def test_the_first_of_two_questions_counts() -> None:
    found: Any = schema_in({"x": "={{ $fromAI('a', 'one') }} {{ $fromAI('a', 'two', 'number') }}"})
    assert found["properties"] == {"a": {"type": "string", "description": "one"}}


@given(st.text(max_size=60))
def test_any_text_behind_from_ai_is_read(text: str) -> None:
    found: Any = schema_in({"x": f"={{{{ $fromAI({text}"})
    assert set(found.get("required", ())) <= set(found["properties"])


@given(st.text(max_size=40), st.text(max_size=40))
def test_quoted_names_come_back(name: str, about: str) -> None:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    found: Any = schema_in({"x": f"={{{{ $fromAI({quoted(name)}, {quoted(about)}) }}}}"})
    assert list(found["properties"]) == ([name] if name else [])
    if name and about.strip():
        assert found["properties"][name]["description"] == about


def test_a_schema_parameter_says_what_is_wrong() -> None:
    from jackfield_ai.parsing.schemas import read_schema

    with pytest.raises(NodeError, match="The parameter inputSchema is not JSON"):
        read_schema("{", "inputSchema")
    with pytest.raises(NodeError, match="must be a JSON Schema"):
        read_schema("[]", "inputSchema")
