"""Schemas of offered workflows: models' APIs refuse every request of an agent that has one tool with a schema that they
do not take."""

from __future__ import annotations

import re
from typing import Any

import pytest

from jackfield.api.tool_schemas import schema_mistakes
from jackfield.api.workflow_tools import LARGEST_SCHEMA
from jackfield.api.workflows import Node
from jackfield_mcp.offers.starting import item_for, schema_at

FIT = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def form(*rows: dict[str, Any]) -> Node:
    parameters: Any = {"formFields": {"values": list(rows)}}
    return Node("f", "Form", "n8n-nodes-base.formTrigger", "formTrigger", 2.2, parameters)


def called(*names: str) -> Node:
    parameters: Any = {"workflowInputs": {"values": [{"name": name, "type": "string"} for name in names]}}
    return Node("c", "Call", "n8n-nodes-base.executeWorkflowTrigger", "executeWorkflowTrigger", 1.1, parameters)


def properties(node: Node) -> dict[str, Any]:
    found: Any = schema_at(node)["properties"]
    return dict(found)


def test_fields_have_names_that_models_take_and_the_node_gets_its_own() -> None:
    rows = [{"fieldLabel": label, "requiredField": True} for label in ("Your name?", "日本", "plain", "Your name!")]
    node = form(*rows)
    assert list(properties(node)) == ["Your_name", "field", "plain", "Your_name_2"]
    assert properties(node)["Your_name"]["description"] == "Your name?"
    assert schema_at(node)["required"] == ["Your_name", "field", "plain", "Your_name_2"]
    item = item_for(node, {"Your_name": "Ann", "field": "x", "plain": "y", "Your_name_2": "z", "other": 1}, 0, "call")
    assert (
        item["json"].items() >= {"Your name?": "Ann", "日本": "x", "plain": "y", "Your name!": "z", "other": 1}.items()
    )


def test_no_two_fields_meet_in_one_name() -> None:
    names = ("a b", "a_b", "a?b", "a_b_2", "x" * 80, "x" * 81, "😀", "é", "field")
    node = called(*names)
    fit = list(properties(node))
    assert len(fit) == len(names)
    assert all(FIT.fullmatch(name) for name in fit), fit
    item = item_for(node, {name: name for name in fit}, 0, "call")
    assert set(item["json"]) == set(names)
    assert {name for name in names if FIT.fullmatch(name)} <= set(fit)


def test_a_schema_that_is_too_large_takes_whatever_comes() -> None:
    options = [{"option": f"{number:0100}"} for number in range(LARGEST_SCHEMA // 100)]
    row = {"fieldLabel": "Which", "fieldType": "dropdown", "fieldOptions": {"values": options}}
    assert schema_at(form(row)) == {"type": "object"}


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "object", "properties": {"a b": {}}}, "'a b'"),
        ({"type": "object", "properties": {"x" * 65: {}}}, "64 letters"),
        ({"type": "object", "properties": {"a": 5}}, "properties.a must be an object"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "properties.a.type must be one of"),
        ({"type": "object", "properties": {"a": {"items": {"type": ["string", 1]}}}}, "a.items.type"),
        ({"type": "object", "required": ["a", "a"]}, "required"),
        ({"type": "object", "required": "a"}, "required"),
        ({"type": "object", "properties": {"a": {"minLength": "1"}}}, "minLength"),
        ({"type": "object", "properties": {"a": {"anyOf": []}}}, "anyOf[0]"),
        ({"type": "object", "anyOf": [{}]}, "no anyOf at the top"),
        ({"type": "string"}, "of an object"),
    ],
)
def test_schemas_that_models_refuse_are_refused(schema: Any, told: str) -> None:
    assert told in "; ".join(schema_mistakes(schema))


def test_schemas_that_models_take_have_no_mistake() -> None:
    who = {"type": ["string", "null"], "enum": ["ann"], "minLength": 1, "description": "Who."}
    many = {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/one"}]}, "maxItems": 3}
    schema: Any = {
        "type": "object",
        "properties": {"who": who, "many": many, "any": {}, "yes": True, "a.b-c": {"type": "number", "maximum": 1.5}},
        "required": ["who"],
        "additionalProperties": False,
        "$defs": {"one": {"type": "string"}},
    }
    assert list(schema_mistakes(schema)) == []


def test_a_deep_schema_is_refused_and_not_followed() -> None:
    schema: Any = {}
    for _ in range(2000):
        schema = {"items": schema}
    assert "levels deep" in next(schema_mistakes({"type": "object", "properties": {"a": schema}}))
