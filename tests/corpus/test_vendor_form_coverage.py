"""Vendors' forms on real workflows: how many of the parameters that people set have a designed control.
JACKFIELD_TEST_CORPUS names the workflows; JACKFIELD_TEST_MISSES=1 lists what has none."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.showing import shown_fields
from jackfield.api.workflows import local_type
from jackfield.testing.context import FakeContext
from jackfield_vendors.catalogue import KINDS, SHIPPED
from jackfield_vendors.library import node_in
from jackfield_vendors.node import VendorNode

PLACE = Path(os.environ.get("JACKFIELD_TEST_CORPUS", "")) / "index.json"
LEAST = 0.97
ROUNDS = 10
EMPTY: Sequence[Json] = ({}, [], "", None)
"""What documents hold of parameters that nobody set."""
pytestmark = pytest.mark.skipif(not PLACE.is_file(), reason="JACKFIELD_TEST_CORPUS names no corpus")


@dataclass
class Coverage:
    """Parameters that were set, by node, and those of them that no control holds."""

    total: Counter[str] = field(default_factory=Counter)
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, kind: str, found: Iterator[tuple[str, str]]) -> None:
        for name, why in found:
            self.total[kind] += 1
            if why:
                self.missed[kind, f"{name}: {why}"] += 1

    def lines(self) -> Iterator[str]:
        for kind, total in self.total.most_common():
            missed = sum(count for (other, _), count in self.missed.items() if other == kind)
            yield f"{kind:<48} {total - missed:>5} of {total:>5} ({100 * (total - missed) / total:.1f} %)"
        if os.environ.get("JACKFIELD_TEST_MISSES"):
            yield from (f"{count:>3} {kind} {what}" for (kind, what), count in self.missed.most_common())


def test_nearly_all_parameters_that_people_set_have_a_designed_control(tmp_path: Path) -> None:
    nodes = {kind: node_in(FakeContext(tmp_path), SHIPPED / f"{kind.replace('/', '__')}.toml") for kind in KINDS}
    coverage = Coverage()
    for node_type, document in found(nodes):
        version = document.get("typeVersion", 1)
        near = max([one for one in node_type.versions if one <= version] or [min(node_type.versions)])
        fields, values = node_type.form(near), document.get("parameters", {})
        coverage.add(node_type.kind, of_level(fields, values, filled(fields, values, values, near), near))
    total, missed = coverage.total.total(), coverage.missed.total()
    print("\nVendors' parameters with a designed control", *coverage.lines(), sep="\n  ")
    print(f"  all {total - missed} of {total} ({100 * (total - missed) / total:.2f} %)")
    assert total > 2500
    assert total - missed >= LEAST * total


def found(nodes: Mapping[str, VendorNode]) -> Iterator[tuple[VendorNode, dict[str, Any]]]:
    for entry in json.loads(PLACE.read_text())["files"]:
        for one in json.loads((PLACE.parent / "workflows" / entry["file"]).read_text()).get("nodes", []):
            kind = local_type(one["type"])
            node_type = nodes.get(kind) or nodes.get(kind.removesuffix("Tool"))
            if node_type is not None:
                yield node_type, one


def filled(
    fields: Sequence[NodeField], values: Mapping[str, Json], top: Mapping[str, Json], version: float
) -> dict[str, Json]:
    """The values with the defaults of the fields that are shown."""
    known = dict(values)
    for _ in range(ROUNDS):
        shown = shown_fields(fields, known, known if values is top else top, version)
        made = {one.name: one.default for one in shown if one.default is not None} | dict(values)
        if made == known:
            break
        known = made
    return known


def of_level(
    fields: Sequence[NodeField], values: Mapping[str, Json], top: Mapping[str, Json], version: float
) -> Iterator[tuple[str, str]]:
    """Each value that is set, by its path, and why no control holds it."""
    known = dict(top) if values.items() <= top.items() else filled(fields, values, top, version)
    shown = {one.name: one for one in shown_fields(fields, known, top, version)}
    for name, value in values.items():
        if value in EMPTY:
            continue
        if name not in shown:
            yield name, "is not shown" if any(one.name == name for one in fields) else "is in no form"
            continue
        for path, why in of_field(shown[name], value, top, version):
            yield f"{name}{path}", why


def of_field(one: NodeField, value: Json, top: Mapping[str, Json], version: float) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value.startswith("="):
        yield "", "" if one.expression else "may not be an expression"
    elif one.control == "fixedCollection" and isinstance(value, dict):
        yield from of_groups(one, value, top, version)
    elif one.control == "collection" and isinstance(value, dict | list):
        rows = value if isinstance(value, list) else [value]
        if isinstance(value, list) and not one.multiple:
            yield "", "is a list"
            return
        yield "", ""
        for row in rows:
            if isinstance(row, dict):
                yield from ((f".{path}", why) for path, why in of_level(one.fields, row, top, version))
    else:
        yield "", held(one, value)


def of_groups(
    one: NodeField, value: Mapping[str, Json], top: Mapping[str, Json], version: float
) -> Iterator[tuple[str, str]]:
    yield "", ""
    groups = {group.name: group for group in one.groups}
    for name, inner in value.items():
        if name not in groups:
            yield f".{name}", "is no group"
            continue
        if isinstance(inner, list) and not one.multiple:
            yield f".{name}", "is a list"
            continue
        for row in inner if isinstance(inner, list) else [inner]:
            if isinstance(row, dict):
                found = of_level(groups[name].fields, row, top, version)
                yield from ((f".{name}.{path}", why) for path, why in found)


def held(one: NodeField, value: Json) -> str:
    """Why the control cannot show this value; nothing when it can."""
    control = one.control
    if value is None or control == "hidden":
        return "is hidden" if control == "hidden" else ""
    if control == "json":
        return "" if isinstance(value, str) else "is structured, and shown as JSON"
    fits = {
        "number": isinstance(value, int | float) or (isinstance(value, str) and value.replace(".", "").isdecimal()),
        "switch": isinstance(value, bool),
        "locator": isinstance(value, str) or (isinstance(value, dict) and value.get("mode") in modes(one)),
        "mapper": isinstance(value, dict) and "mappingMode" in value,
        "multiselect": isinstance(value, list) and (bool(one.load) or all(chosen(one, part) for part in value)),
        "select": bool(one.load) or chosen(one, value),
        "filter": isinstance(value, dict),
        "assignments": isinstance(value, dict),
        "workflow": isinstance(value, str | dict),
    }.get(control, isinstance(value, str | int | float) or (one.multiple and isinstance(value, list)))
    return "" if fits or value == "" else f"does not fit {control}: {json.dumps(value)[:60]}"


def chosen(one: NodeField, value: Json) -> bool:
    return any(choice.value == value for choice in one.choices)


def modes(one: NodeField) -> list[Json]:
    listed = one.options.get("modes")
    return [mode.get("name") for mode in listed if isinstance(mode, dict)] if isinstance(listed, list) else []
