"""The forms of all shipped descriptions: every field is worded, and every operation's parameters can be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import NodeField, When
from jackfield.api.nodes.showing import is_shown, shown_fields
from jackfield.testing.context import FakeContext
from jackfield_vendors.catalogue import KINDS, SHIPPED
from jackfield_vendors.library import node_in
from jackfield_vendors.node import VendorNode
from jackfield_vendors.parameters import OperationForm

ROUNDS = 10
PLACE = ("resource", "operation")
HELPED = (
    "airtable",
    "discord",
    "github",
    "gmail",
    "googleAnalytics",
    "googleCalendar",
    "googleDrive",
    "googleSheets",
    "hubspot",
    "jira",
    "microsoftOutlook",
    "n8n",
    "notion",
    "slack",
    "supabase",
    "telegram",
    "wordpress",
)
"""Nodes that many workflows have."""
NEVER = re.compile(r"^(What|Who|Whose)\b")


@pytest.fixture(params=KINDS)
def node(request: pytest.FixtureRequest, tmp_path: Path) -> VendorNode:
    kind = str(request.param)
    return node_in(FakeContext(tmp_path), SHIPPED / f"{kind.replace('/', '__')}.toml")


def test_every_field_is_worded_and_its_conditions_name_fields(node: VendorNode) -> None:
    for version in node.versions:
        fields = node.form(version)
        names = {field.name for field in fields}
        wrong = [problem for field in fields for problem in problems(field, names, names)]
        assert not wrong, (version, wrong[:5])


@pytest.mark.parametrize(
    ("kind", "values", "name", "control", "loaded"),
    [
        ("slack", {"resource": "message", "operation": "post", "select": "user"}, "user", "locator", "users"),
        (
            "slack",
            {"resource": "message", "operation": "post", "select": "channel"},
            "channelId",
            "locator",
            "channels",
        ),
        ("discord", {"resource": "message", "operation": "send"}, "channelId", "locator", "textChannel"),
        ("telegram", {"resource": "message", "operation": "sendPhoto"}, "file", "text", ""),
        (
            "telegram",
            {"resource": "message", "operation": "sendPhoto", "binaryData": True},
            "binaryPropertyName",
            "text",
            "",
        ),
        ("googleSheets", {"operation": "append", "sheetName": "S"}, "columns", "mapper", "mappingColumns"),
        ("airtable", {"operation": "create"}, "columns", "mapper", "columns"),
    ],
)
def test_what_the_choices_ask_for_is_there(
    kind: str, values: dict[str, Json], name: str, control: str, loaded: str, tmp_path: Path
) -> None:
    made = node_in(FakeContext(tmp_path), SHIPPED / f"{kind}.toml")
    known = filled(made.form(None), values, made.versions[-1])
    field = next(one for one in shown_fields(made.form(None), known, known, made.versions[-1]) if one.name == name)
    assert (field.control, field.load.name if field.load else "") == (control, loaded)


@pytest.mark.parametrize("kind", HELPED)
def test_every_parameter_of_much_used_nodes_has_help(kind: str, tmp_path: Path) -> None:
    made = node_in(FakeContext(tmp_path), SHIPPED / f"{kind}.toml")
    assert not {field.name for field in made.form(None) if field.control != "hidden" and not field.help}


def problems(field: NodeField, beside: set[str], top: set[str]) -> Iterator[str]:
    if not field.label.strip() or NEVER.match(field.label) or NEVER.match(field.help):
        yield f"{field.name}: label {field.label!r}"
    if len({choice.value for choice in field.choices}) != len(field.choices):
        yield f"{field.name}: two choices of one value"
    yield from (f"{field.name}: no word for {one.value}" for one in field.choices if not one.label.strip())
    if field.control == "select" and not field.choices and field.load is None:
        yield f"{field.name}: nothing to choose from"
    chosen_from = field.choices if field.control == "select" and field.load is None else []
    if chosen_from and field.default not in (None, "", *(choice.value for choice in chosen_from)):
        yield f"{field.name}: {field.default!r} is no choice"
    for name in keys(field.when):
        known = top if name.startswith("/") else beside
        if name != "@version" and name.removeprefix("/").split(".")[0] not in known:
            yield f"{field.name}: there is no {name}"
    if field.load is not None:
        yield from (f"{field.name}: its list needs {one}" for one in field.load.depends_on if one not in top)
    for children in (field.fields, *(group.fields for group in field.groups)):
        inner = {child.name for child in children}
        for child in children:
            yield from (f"{field.name}.{problem}" for problem in problems(child, inner, top))


def keys(when: When | None) -> set[str]:
    return set() if when is None else {*when.show, *when.hide}


def test_every_operations_parameters_can_be_reached(node: VendorNode) -> None:
    """What a variant of an operation requires is shown while its variant is the chosen one; what it may have beside, in
    one of the variants."""
    unreached: set[str] = set()
    reached: set[str] = set()
    for version in node.versions:
        model: Any = node.parameters(version)
        for form in model.forms:
            values = selecting(form, model)
            fields = of_place(node.form(version), values)
            for row in form.rows:
                required = bool(row.required) and not form.described.unavailable
                place = f"{form.described.title if required else form.name}: {row.name}"
                found = reachable(fields, row.name, values, version, form if required else None, model)
                (reached if found else unreached).add(place)
    assert not unreached - reached


def of_place(fields: Sequence[NodeField], values: Mapping[str, Json]) -> list[NodeField]:
    """Those that no other resource or operation alone may show: a tenth of a large service's."""
    shows = [(field, field.when.show if field.when else {}) for field in fields]
    return [
        field
        for field, show in shows
        if all(name not in show or may_be(values.get(name), show[name]) for name in PLACE)
    ]


def may_be(value: Json, wanted: Sequence[Json]) -> bool:
    return value in wanted or any(not isinstance(one, str) or one.startswith("=") for one in wanted)


def selecting(form: OperationForm, model: Any) -> dict[str, Json]:
    """Values that choose this variant."""
    described = form.described
    values: dict[str, Json] = {"resource": described.resource, "operation": described.operation}
    values = {name: value for name, value in values.items() if value}
    for path, wanted in described.when.items():
        put(values, path, wanted[0] if isinstance(wanted, list) else wanted)
    others = [one for one in model.forms if one.described.operation == described.operation]
    for other in [one for one in others if one.described.resource == described.resource]:
        if other is form:
            break
        for path, wanted in other.described.when.items():
            if other.fits(values) and path not in described.when:
                put(values, path, avoiding(form, path, wanted))
    assert chosen(values, model) is form, f"nothing chooses {form.name} {described.title}"
    return values


def avoiding(form: OperationForm, path: str, wanted: Any) -> Json:
    listed = wanted if isinstance(wanted, list) else [wanted]
    row = next((one for one in form.rows if one.name == path), None)
    options = [False, True, *(row.options if row else []), "other"]
    return next(one for one in options if one not in listed)


def chosen(values: Mapping[str, Json], model: Any) -> OperationForm:
    form = model._chosen(values)
    assert isinstance(form, OperationForm)
    return form


def put(values: dict[str, Json], path: str, value: Json) -> None:
    *above, name = path.split(".")
    for step in above:
        inner = values.setdefault(step, {})
        assert isinstance(inner, dict)
        values = inner
    values[name] = value


def reachable(
    fields: Sequence[NodeField],
    name: str,
    given: Mapping[str, Json],
    version: float,
    variant: OperationForm | None,
    model: Any,
) -> bool:
    """Whether further values show the parameter. variant: which must stay the chosen one, and whose parameter may not
    be hidden."""
    for field in fields:
        if field.name != name or (field.control == "hidden" and variant is not None):
            continue
        values = met(field.when, given if variant else {k: v for k, v in given.items() if k in PLACE}, fields)
        known = filled(fields, values, version)
        if field in shown_fields(fields, known, known, version) and variant in (None, chosen(values, model)):
            return True
    return False


def met(when: When | None, given: Mapping[str, Json], fields: Sequence[NodeField], depth: int = 4) -> dict[str, Json]:
    """The values with those that the condition asks for, and that what it asks for asks for."""
    values = dict(given)
    if when is None or depth == 0:
        return values
    for path, wanted in when.show.items():
        if path.removeprefix("/") not in given and path != "@version":
            asked = wanted[0]
            put(values, path.removeprefix("/"), asking(asked) if isinstance(asked, dict) else asked)
            field = next(
                (one for one in fields if one.name == path and is_shown(one.when, {**values}, values, 0)), None
            )
            values = met(field.when if field else None, values, fields, depth - 1)
    for path, wanted in when.hide.items():
        if path.removeprefix("/") not in given and path != "@version":
            put(values, path.removeprefix("/"), next(one for one in (False, True, "other") if one not in wanted))
    return values


def asking(asked: dict[str, Json]) -> Json:
    """A value that fulfils the condition."""
    condition = asked.get("_cnd")
    assert isinstance(condition, dict)
    (word, bound), *_ = condition.items()
    return {"not": "other", "exists": "there", "gte": bound, "includes": bound, "endsWith": bound}.get(word, bound)


def filled(fields: Sequence[NodeField], values: Mapping[str, Json], version: float) -> dict[str, Json]:
    """The values with the defaults of the fields that are shown."""
    known = dict(values)
    for _ in range(ROUNDS):
        shown = shown_fields(fields, known, known, version)
        made = {one.name: one.default for one in shown if one.default is not None} | dict(values)
        if made == known:
            break
        known = made
    return known
