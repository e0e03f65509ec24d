"""Which parameters keep an execution from starting."""

from __future__ import annotations

import pytest
from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.needs import EMPTY


class Row(Parameters):
    field_name: str = Field("", json_schema_extra=needed())
    note: str = Field("", json_schema_extra=needed({"/mode": ["rows"], "loud": [True]}))
    loud: bool = False


class Rows(Parameters):
    row: list[Row] = Field(default_factory=list)


class Needing(Parameters):
    mode: str = "one"
    binary: bool = False
    target: str = Field("data", json_schema_extra=needed())
    value: object = Field(
        "", json_schema_extra=needed({"mode": ["one", "two"], "binary": [False]}, {"mode": ["three"]})
    )
    table: str | dict[str, object] = Field("", json_schema_extra=needed({"mode": ["table"]}))
    rows_ui: Rows = Field(default_factory=Rows)
    several: list[str] | str = Field(default_factory=list, json_schema_extra=needed({"mode": ["several"]}))


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({}, ["value"]),
        ({"value": "x"}, []),
        ({"value": None}, ["value"]),
        ({"value": 0, "target": ""}, ["target"]),
        ({"value": "="}, []),
        ({"mode": "two"}, ["value"]),
        ({"mode": "three", "binary": True}, ["value"]),
        ({"binary": True}, []),
        ({"mode": "none"}, []),
        ({"mode": "=computed", "binary": True}, ["value", "table", "several"]),
        ({"mode": "table"}, ["table"]),
        ({"mode": "table", "table": {"__rl": True, "mode": "list", "value": ""}}, ["table"]),
        ({"mode": "table", "table": {"__rl": True, "mode": "list", "value": "t"}}, []),
        ({"mode": "rows", "rowsUi": {"row": [{"fieldName": "a"}, {}]}}, ["rowsUi.row[1].fieldName"]),
        ({"mode": "rows", "rowsUi": {"row": [{"fieldName": "a", "loud": True}]}}, ["rowsUi.row[0].note"]),
        ({"value": "x", "rowsUi": {"row": [{"fieldName": "a", "loud": True}]}}, []),
        ({"value": "x", "rowsUi": {"row": "=computed"}}, []),
        ({"value": "x", "rowsUi": [5]}, []),
        ({"mode": "several"}, ["several"]),
        ({"mode": "several", "several": []}, ["several"]),
        ({"mode": "several", "several": ["a"]}, []),
        ({"mode": "several", "several": "=computed"}, []),
        ({"mode": "several", "several": ""}, []),  # as in n8n
    ],
)
def test_what_is_empty_and_needed(given: dict[str, Json], paths: list[str]) -> None:
    assert Needing.obstacles(given) == dict.fromkeys(paths, EMPTY)


def test_the_form_says_what_is_needed() -> None:
    schema = Needing.model_json_schema(by_alias=True)["properties"]
    assert schema["target"]["needed"] == []
    assert schema["value"]["needed"] == [{"mode": ["one", "two"], "binary": [False]}, {"mode": ["three"]}]
