"""/api/v1/node-types."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield.api.nodes import NodeCredential, NodeDescription, NodeParameters
from jackfield.api.nodes.forms import NodeField
from jackfield.testing.context import FakeCatalog
from jackfield_workflows.routes.node_type_views import node_type_view, schema_view, summary


class OldParameters(NodeParameters):
    old: str = ""


class NewParameters(NodeParameters):
    new: int = 1


class TwoForms:
    kind = "twoForms"
    versions = (1.0, 1.1, 2.0)
    description = NodeDescription("Two forms", "Has two.", "transform", outputs=("yes", "no"))
    effect = True

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NewParameters if version == 2 else OldParameters


class OwnForm(TwoForms):
    kind = "ownForm"

    def form(self, version: float | None) -> list[NodeField]:
        return [NodeField(name="given", control="notice", label=f"Of {int(version or 1)}")]


class Unprintable(TwoForms):
    kind = "unprintable"

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return Bad


class Scoped(TwoForms):
    kind = "@acme/n8n-nodes-acme.acme"


class Costly(TwoForms):
    kind = "costly"

    def parameters(self, version: float | None) -> type[NodeParameters]:
        raise AssertionError("nobody asked for its form")


class Missing(TwoForms):
    def __init__(self, description: NodeDescription) -> None:
        self.description = description


class Bad(NodeParameters):
    @classmethod
    def model_json_schema(cls, *args: Any, **more: Any) -> dict[str, Any]:
        raise RuntimeError("a node's bug")


@pytest.fixture
def one_type(api: Any) -> Any:
    api.context.ports["NodeCatalog"] = FakeCatalog(api.context.ports["NodeCatalog"].find("webhook"))
    return api


def without(form: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in form.items() if key != name}


def test_a_node_may_give_its_form_itself() -> None:
    (first, second) = node_type_view(OwnForm())["forms"]  # type: ignore[arg-type]
    assert (first["versions"], [one["label"] for one in first["fields"]]) == ([1, 1.1], ["Of 1"])
    assert (second["versions"], [one["label"] for one in second["fields"]]) == ([2], ["Of 2"])


async def test_every_node_type_is_listed_with_its_form(one_type: Any) -> None:
    api = one_type
    found = await api.ok("GET", "/node-types")
    assert found["total"] == len(found["data"]) == 1
    (hook,) = found["data"]
    assert (hook["kind"], hook["type"], hook["versions"], hook["trigger"]) == (
        "webhook",
        "jackfield.webhook",
        [1, 2],
        True,
    )
    assert hook["parameters"]["required"] == ["path"]
    alone = await api.ok("GET", "/node-types/webhook")
    assert {**alone, "forms": [without(one, "fields") for one in alone["forms"]]} == hook
    assert alone == await api.ok("GET", "/node-types/n8n-nodes-base.webhook")
    await api.refused("GET", "/node-types/nope", status=404)


async def test_the_forms_are_built_once(one_type: Any) -> None:
    api = one_type
    await api.ok("GET", "/node-types")
    api.context.ports["NodeCatalog"] = FakeCatalog()
    assert (await api.ok("GET", "/node-types"))["total"] == 1


async def test_the_list_goes_without_forms_when_nobody_wants_them(one_type: Any) -> None:
    api = one_type
    whole = await api.ok("GET", "/node-types?schemas=true")
    assert whole == await api.ok("GET", "/node-types")
    short = await api.ok("GET", "/node-types?schemas=false")
    assert short["data"] == [
        {key: value for key, value in one.items() if key not in ("parameters", "forms")} for one in whole["data"]
    ]
    assert (short["total"], short["data"][0]["available"]) == (1, True)
    assert "schemas" in (await api.refused("GET", "/node-types?schemas=some", status=400))["details"]


async def test_a_kind_may_have_a_slash(api: Any) -> None:
    api.context.ports["NodeCatalog"] = FakeCatalog(Scoped())  # type: ignore[arg-type]
    for written in ("@acme/n8n-nodes-acme.acme", "%40acme%2Fn8n-nodes-acme.acme"):
        assert (await api.ok("GET", f"/node-types/{written}"))["kind"] == Scoped.kind
    await api.refused("GET", "/node-types/@acme/other.acme", status=404)


async def test_one_form_is_built_alone(api: Any) -> None:
    api.context.ports["NodeCatalog"] = FakeCatalog(TwoForms(), Costly())  # type: ignore[arg-type]
    assert (await api.ok("GET", "/node-types/twoForms"))["kind"] == "twoForms"
    assert [one["kind"] for one in (await api.ok("GET", "/node-types?schemas=false"))["data"]] == ["costly", "twoForms"]


class Operated(TwoForms):
    kind = "operated"

    def form(self, version: float | None) -> list[NodeField]:
        return [NodeField(name="operation", control="text", label="Operation")]


async def test_a_node_in_the_hands_of_an_agent_has_the_form_of_its_type_and_a_description(api: Any) -> None:
    api.context.ports["NodeCatalog"] = FakeCatalog(TwoForms(), Operated())  # type: ignore[arg-type]
    found = await api.ok("GET", "/node-types/n8n-nodes-base.twoFormsTool")
    assert (found["kind"], found["inputs"], found["outputs"], found["provides"]) == ("twoFormsTool", 0, [], "ai_tool")
    names = [[field["name"] for field in form["fields"]] for form in found["forms"]]
    assert names == [["toolDescription", "old"], ["toolDescription", "new"]]
    fields = (await api.ok("GET", "/node-types/operatedTool"))["forms"][0]["fields"]
    assert [field["name"] for field in fields] == ["descriptionType", "toolDescription", "operation"]
    assert fields[1]["when"] == {"show": {"descriptionType": ["manual"]}}
    assert (await api.ok("GET", "/node-types/operated"))["kind"] == "operated"
    await api.refused("GET", "/node-types/nopeTool", status=404)


async def test_a_type_that_cannot_run_is_listed_where_it_is_asked_for(api: Any) -> None:
    missing = Missing(NodeDescription("M", "M.", "transform", missing="it needs a service"))
    api.context.ports["NodeCatalog"] = FakeCatalog(Operated(), missing)  # type: ignore[arg-type]
    for more in ("schemas=false", "schemas=true"):
        found = await api.ok("GET", f"/node-types?{more}")
        assert (found["total"], [one["kind"] for one in found["data"]]) == (1, ["operated"])
        found = await api.ok("GET", f"/node-types?{more}&unavailable=true")
        told = {one["kind"]: (one["available"], one["missing"]) for one in found["data"]}
        assert told == {"operated": (True, ""), "twoForms": (False, "it needs a service")}
    alone = await api.ok("GET", "/node-types/twoForms")
    assert (alone["available"], alone["missing"]) == (False, "it needs a service")
    assert "unavailable" in (await api.refused("GET", "/node-types?unavailable=some", status=400))["details"]


def test_versions_with_one_form_share_it() -> None:
    view = node_type_view(TwoForms())  # type: ignore[arg-type]
    old: dict[str, Any] = {"name": "old", "control": "text", "label": "Old", "default": ""}
    new: dict[str, Any] = {"name": "new", "control": "number", "label": "New", "default": 1}
    assert view["forms"] == [
        {"versions": [1, 1.1], "default": True, "parameters": OldParameters.model_json_schema(), "fields": [old]},
        {"versions": [2], "default": False, "parameters": NewParameters.model_json_schema(), "fields": [new]},
    ]
    listed = schema_view(TwoForms())  # type: ignore[arg-type]
    assert listed["forms"] == [without(one, "fields") for one in view["forms"]]
    assert view["parameters"] == NewParameters.model_json_schema()
    assert (view["outputs"], view["effect"]) == (["yes", "no"], True)


def test_a_node_without_a_schema_is_listed_all_the_same() -> None:
    assert node_type_view(Unprintable())["parameters"] == {"type": "object"}  # type: ignore[arg-type]


def test_a_node_says_which_credentials_it_takes() -> None:
    described = NodeDescription(
        "C",
        "C.",
        "network",
        credentials=(
            NodeCredential("acmeApi", when={"authentication": ("", "token")}),
            NodeCredential(parameter="genericAuthType", required=False),
        ),
    )
    assert summary(Missing(described))["credentials"] == [  # type: ignore[arg-type]
        {"name": "acmeApi", "required": True, "when": {"authentication": ["", "token"]}},
        {"name": "", "required": False, "parameter": "genericAuthType"},
    ]
