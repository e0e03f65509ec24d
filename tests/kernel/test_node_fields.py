"""The form that a node gets from its model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr

from jackfield.api.nodes import Flag, Parameters, needed
from jackfield.api.nodes.fields import fields_of
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.labels import label_of
from jackfield.api.nodes.ui import Ui, UiFields

Script = Annotated[str, Ui("code", options={"language": "javascript"})]


class Row(Parameters):
    name: str = ""
    value: object = None


class Rows(Parameters):
    parameters: list[Row] = Field(default_factory=list)


class Shape(Parameters):
    ui: ClassVar[Ui] = Ui("locator", options={"modes": [{"name": "id", "label": "By ID"}]})
    mode: str = "list"
    value: str | None = None


class Extra(Parameters):
    time_out: float = Field(10, ge=0, le=60, description="Seconds.")
    again: Extra | None = None


class Whole(Parameters):
    options: Extra = Field(default_factory=Extra)
    method: str = "GET"
    script: Script = "return 1"
    mode: Literal["onReceived", "lastNode"] = "onReceived"
    many: list[Literal["a", "b"]] = Field(default_factory=lambda: ["a"])
    texts: list[str] = Field(default_factory=list)
    on: Flag = False
    key: str = Field("", json_schema_extra={"secret": True})
    token: SecretStr | None = None
    rows: Rows = Field(default_factory=Rows)
    direct: list[Row] = Field(default_factory=list)
    place: Shape | str | None = None
    anything: dict[str, object] = Field(default_factory=dict)
    body: object = Field("", description="lastNode: the answer's body.", json_schema_extra=needed())

    ui_fields: ClassVar[UiFields] = {
        "mode": Ui(choices={"onReceived": "At once", "lastNode": ("At the end", "With the last node's items.")}),
        "method": Ui(choices={"GET": "GET", "POST": "POST"}, label="HTTP method"),
        "body": (Ui(when={"mode": "lastNode"}), Ui("json", when={"mode": "onReceived", "on": True})),
    }


class Derived(Whole):
    ui_order: ClassVar[Sequence[str]] = ("mode", "method")
    ui_fields: ClassVar[UiFields] = {"on": Ui(label="Is on", hide={"mode": ["lastNode"]})}


def shown(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    return {field.name: field.model_dump(exclude_defaults=True) for field in fields_of(model)}


def test_types_give_the_controls() -> None:
    assert {name: one["control"] for name, one in shown(Whole).items()} == {
        "mode": "select",
        "method": "select",
        "body": "json",
        "script": "code",
        "many": "multiselect",
        "texts": "text",
        "on": "switch",
        "key": "secret",
        "token": "secret",
        "rows": "fixedCollection",
        "direct": "collection",
        "place": "locator",
        "anything": "json",
        "options": "collection",
    }


def test_a_model_may_say_the_order_and_options_come_last() -> None:
    names = [field.name for field in fields_of(Whole)]
    assert (names[:3], names[-1]) == (["method", "script", "mode"], "options")
    assert [field.name for field in fields_of(Derived)][:3] == ["mode", "method", "script"]


def test_choices_have_words_and_help() -> None:
    assert shown(Whole)["mode"]["choices"] == [
        {"value": "onReceived", "label": "At once"},
        {"value": "lastNode", "label": "At the end", "help": "With the last node's items."},
    ]
    assert [one["label"] for one in shown(Whole)["many"]["choices"]] == ["A", "B"]
    assert shown(Whole)["many"]["default"] == ["a"]


def test_one_name_may_have_several_fields() -> None:
    first, second = (field for field in fields_of(Whole) if field.name == "body")
    assert (first.control, first.help, first.required) == ("text", "The answer's body.", True)
    assert [one.when.show for one in (first, second) if one.when] == [
        {"mode": ["lastNode"]},
        {"mode": ["onReceived"], "on": [True]},
    ]


def test_nested_models_are_collections() -> None:
    found = shown(Whole)
    (group,) = found["rows"]["groups"]
    assert (group["name"], [one["name"] for one in group["fields"]]) == ("parameters", ["name", "value"])
    assert (found["rows"]["multiple"], found["direct"]["multiple"]) == (True, True)
    time_out, again = found["options"]["fields"]
    assert (time_out["label"], time_out["help"], time_out["default"]) == ("Time out", "Seconds.", 10)
    assert time_out["options"] == {"min": 0, "max": 60}
    assert "fields" not in again


def test_a_model_has_the_table_of_its_bases() -> None:
    found = shown(Derived)
    assert found["on"]["label"] == "Is on"
    assert found["on"]["when"] == {"hide": {"mode": ["lastNode"]}}
    assert found["method"]["label"] == "HTTP method"


def test_a_shared_type_says_it_once() -> None:
    assert shown(Whole)["script"]["options"] == {"language": "javascript"}
    assert shown(Whole)["place"]["options"]["modes"] == [{"name": "id", "label": "By ID"}]


def test_what_is_not_known_of_a_field_stays_at_its_default() -> None:
    assert NodeField(name="a", control="text", label="A").model_dump(exclude_defaults=True) == {
        "name": "a",
        "control": "text",
        "label": "A",
    }


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("responseCode", "Response code"),
        ("redirectURL", "Redirect URL"),
        ("url", "URL"),
        ("httpMethod", "HTTP method"),
        ("sessionId", "Session ID"),
        ("jsonOutput", "JSON output"),
        ("workflowJson", "Workflow JSON"),
        ("bodyParametersUi", "Body parameters"),
        ("jsCode", "JavaScript code"),
        ("multipart-form-data", "Multipart form data"),
        ("oAuth2", "OAuth2"),
        ("combineBySql", "Combine by SQL"),
        ("fromAttributes", "From attributes"),
        ("topK", "Top k"),
        ("value1", "Value 1"),
        ("xmlToJson", "XML to JSON"),
        ("openAiApi", "OpenAI API"),
        ("text", "Text"),
        ("getValues", "Get values"),
        ("GET", "GET"),
        ("", ""),
        ("?", "?"),
    ],
)
def test_labels_come_from_names(name: str, label: str) -> None:
    assert label_of(name) == label
