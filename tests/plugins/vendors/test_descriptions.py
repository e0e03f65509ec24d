"""Descriptions of an operator: what they can say, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Loopback, reply
from pydantic import ValidationError
from vendor_lab import Lab

from jackfield.api.jsontext import Json
from jackfield.api.nodes.starting import community_package
from jackfield.testing.context import FakeContext, made
from jackfield_vendors.catalogue import KINDS, SHIPPED, Catalogue
from jackfield_vendors.library import load
from jackfield_vendors.shapes import shape_of
from jackfield_vendors.templates import MISSING, TemplateMismatch, TemplateScope, compiled, value_of

OWN = """
[node]
kind = "acme"
title = "Acme"
base_url = "{base}"
resource = "thing"
defaults = {{ thing = "get" }}

[[operations]]
resource = "thing"
operation = "get"
path = "/things/{{id}}"
parameters = [
  {{ name = "id", type = "number", required = true }},
  {{ name = "kind", options = ["a", "b"], default = "a" }},
]
query = {{ kind = "{{kind}}" }}
response = {{ path = "data.things" }}
"""


def keep(directory: Path, name: str, text: str) -> Path:
    (directory / "nodes.d").mkdir(exist_ok=True)
    path = directory / "nodes.d" / name
    path.write_text(text)
    return path


async def test_an_own_description_becomes_a_node(lab: Lab, server: Loopback) -> None:
    path = keep(lab.directory, "acme.toml", OWN.format(base=server.url("/v1")))
    server.answer = lambda _: reply({"data": {"things": [{"n": 1}, {"n": 2}]}})
    node = lab.node(path)
    assert await lab.json("acme", None, {"id": 7}, node=node) == [{"n": 1}, {"n": 2}]
    assert server.seen[0].target == "/v1/things/7?kind=a"
    with pytest.raises(ValidationError, match="'a' or 'b'"):
        node.parameters(1).model_validate({"id": 7, "kind": "c"})
    schema = node.parameters(1).model_json_schema()
    assert schema["oneOf"][0]["required"] == ["id"]


MISTAKES = [
    ('[node]\nkind = "x"', "node.title: Field required"),
    ('[node]\nkind = "a b"\ntitle = "x"\nbase_url = "x"\n[[operations]]', "node.kind"),
    (OWN.format(base="x").replace("{id}", "{ident}"), "operations[0].path: the operation has no parameter ident"),
    (
        OWN.format(base="x").replace('"{kind}"', '"{kind | shout}"'),
        "operations[0].query.kind: there is no filter shout",
    ),
    (OWN.format(base="x").replace('"{kind}"', '"{kind"'), "operations[0].query.kind: a brace is not closed"),
    (OWN.format(base="x").replace("path =", "pth =", 1), "operations[0].pth: Extra inputs"),
    ("[node", "Expected"),
    (f"a = {'[' * 5000}{']' * 5000}", "nested too deeply"),
    (OWN.format(base="x").replace("{kind}", "{@kind}") + '\n[values]\nkind = "{@kind}"', "names itself"),
    (OWN.format(base="x").replace("{kind}", "{kind | match:'('}"), "the filter match cannot have ("),
    (OWN.format(base="x").replace("{kind}", "{kind | head:x}"), "the filter head cannot have x"),
    (
        '[[credentials]]\nkind = "k"\ntitle = "K"\nheaders = { A = "{token}" }',
        "credentials[0].headers.A: the credential has no field token",
    ),
]


@pytest.mark.parametrize(("text", "told"), MISTAKES)
def test_a_mistake_names_file_and_key_and_hinders_no_other_file(tmp_path: Path, text: str, told: str) -> None:
    keep(tmp_path, "bad.toml", text)
    keep(tmp_path, "good.toml", OWN.format(base="https://a.example"))
    found = load(FakeContext(tmp_path), tmp_path / "nodes.d")
    assert [node.kind for node in found.nodes] == ["acme"]
    (problem,) = found.problems
    assert problem.startswith("bad.toml: ")
    assert told in problem


def test_the_shipped_descriptions_are_all_good(tmp_path: Path) -> None:
    found = load(FakeContext(tmp_path), SHIPPED)
    assert found.problems == []
    assert sorted(node.kind for node in found.nodes) == list(KINDS)
    assert len({kind.name for kind in found.kinds}) > 45


def test_a_node_of_an_npm_package_says_how_to_add_it(tmp_path: Path) -> None:
    """Its package may be added, and takes its place then."""
    nodes = made(Catalogue(FakeContext(tmp_path)).nodes())
    told = {node.kind: node.description.missing for node in nodes if community_package(node.kind)}
    lacking = {kind: missing for kind, missing in told.items() if missing}
    assert "n8n-nodes-mcp.mcpClient" in lacking
    assert not [
        kind
        for kind, missing in lacking.items()
        if f"jackfield community-nodes add {community_package(kind)}" not in missing
    ]


def test_an_own_file_takes_the_place_of_a_shipped_node(tmp_path: Path) -> None:
    keep(tmp_path, "slack.toml", OWN.format(base="https://a.example").replace("acme", "slack"))
    nodes = {node.kind: node for node in made(Catalogue(FakeContext(tmp_path)).nodes())}
    assert nodes["slack"].description.display_name == "Acme"
    assert nodes["github"].description.display_name == "GitHub"


def test_an_unknown_operation_lists_those_there_are(tmp_path: Path) -> None:
    node = next(node for node in made(Catalogue(FakeContext(tmp_path)).nodes()) if node.kind == "slack")
    with pytest.raises(ValidationError, match="there are getAll, getPresence, getProfile, info"):
        node.parameters(2.2).model_validate({"resource": "user", "operation": "sing"})


# ------------------------------------------------------------------------------------------------- templates and shapes

VALUES: dict[str, Json] = {
    "a": {"b": [1, {"c": "x"}]},
    "n": 3.0,
    "t": "A b|c",
    "empty": "",
    "off": False,
    "loc": {"__rl": True, "value": "v"},
}
TEMPLATES: list[tuple[str, Any]] = [
    ("{a.b}", [1, {"c": "x"}]),
    ("{a.b.1.c}", "x"),
    ("n={n}", "n=3"),
    ("{off}", False),
    ("{empty ?? none ?? 'lit'}", "lit"),
    ("{loc}", "v"),
    ("{t | before:'|' | lower}", "a b"),
    ("{t | after:'|'}", "c"),
    ("{t | match:'([a-z]{1,2})$'}", "c"),
    ("{t|snake}", "a_b_c"),
    ("{{{n}}}", "{3}"),
    ("x{none}", MISSING),
    ("plain", "plain"),
]


@pytest.mark.parametrize(("text", "value"), TEMPLATES)
def test_templates(text: str, value: Any) -> None:
    found = value_of(compiled(text), TemplateScope(VALUES, {}))
    assert found is value if value is MISSING else found == value


@given(st.text(max_size=80))
def test_any_text_compiles_or_says_why(text: str) -> None:
    try:
        template = compiled(text)
    except TemplateMismatch:
        return
    found = value_of(template, TemplateScope(VALUES, {}))
    assert found is not None


def shaped(shape: Any) -> Any:
    return shape_of(shape, "body", lambda *_: None)(
        TemplateScope(VALUES | {"rows": [{"k": "x", "v": 1}, {"k": "y"}]}, {})
    )


def test_shapes() -> None:
    assert shaped({"x": "{none}", "y": {"z": "{none}"}, "n": "{n}", "{t|snake}": 1, "e": {}}) == {
        "n": 3.0,
        "a_b_c": 1,
        "e": {},
    }
    assert shaped({"$each": "{rows}", "$as": "{k}", "v": "{v}", "i": "{$key}"}) == {
        "x": {"v": 1, "i": 0},
        "y": {"i": 1},
    }
    assert shaped({"$each": "{rows}", "$item": "{k}"}) == ["x", "y"]
    assert shaped({"$switch": "{off | text}", "$case": {"false": 1}, "$default": 2}) == 1
    assert shaped({"$when": {"n": [3, 4]}, "a": 1}) == {"a": 1}
    assert shaped({"$when": {"n": 4}, "a": 1}) is MISSING
    assert shaped({"$merge": ["{a}", {"x": 1}], "$without": ["b"], "y": 2}) == {"x": 1, "y": 2}
    with pytest.raises(ValueError, match=r"body\.q\.\$eech: there is no such word"):
        shaped({"q": {"$eech": 1}})
