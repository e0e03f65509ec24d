"""Of the parameters that real workflows set, how many the form of their node shows with a control made for them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield.api.nodes.fields import form_of
from jackfield.api.nodes.forms import NodeField
from jackfield.api.nodes.showing import is_shown, shown_fields
from jackfield.api.workflows import local_type
from jackfield.core.building import build

PLACE = Path(os.environ.get("JACKFIELD_TEST_CORPUS", "")) / "index.json"
LEAST: Mapping[str, float] = {"core": 99.0, "ai": 99.0}
"""Percent, by family."""
HIDDEN = " not hidden"
LEAST_SHOWN = 99.8
"""Percent of the parameters that are set and must be shown."""
DEPTH = 3
SHOWN = 40
WHOLE = {"locator", "assignments", "filter", "mapper", "workflow", "credential"}
"""Controls that take a value with all that is inside."""
Verdict: TypeAlias = tuple[str, str]
"""The parameter's path, and the matter with it; empty: it has a control."""
pytestmark = pytest.mark.skipif(not PLACE.is_file(), reason="JACKFIELD_TEST_CORPUS names no corpus")


def verdicts(fields: Sequence[NodeField], values: Mapping[str, Any], path: str = "") -> Iterator[Verdict]:
    """Of each value and of all that is inside of it."""
    for name, value in values.items():
        named = [field for field in fields if field.name == name]
        if not named:
            yield f"{path}{name}", "missing"
        else:
            yield from min((list(_of(field, value, f"{path}{name}")) for field in named), key=_bad)


def _bad(found: Sequence[Verdict]) -> int:
    return sum(bool(matter) for _, matter in found)


def _of(field: NodeField, value: Any, path: str) -> Iterator[Verdict]:
    if not isinstance(value, dict | list) or not value or field.control in WHOLE:
        yield path, ""
    elif field.control == "collection":
        yield path, ""
        for row in value if isinstance(value, list) else [value]:
            yield from verdicts(field.fields, row, f"{path}.") if isinstance(row, dict) else [(path, "no object")]
    elif field.control == "fixedCollection" and isinstance(value, dict):
        yield path, ""
        for name, rows in value.items():
            group = next((one for one in field.groups if one.name == name), None)
            for row in rows if isinstance(rows, list) else [rows]:
                if group is None or not isinstance(row, dict):
                    yield f"{path}.{name}", "no group"
                else:
                    yield from verdicts(group.fields, row, f"{path}.{name}.")
    else:
        yield path, "" if isinstance(value, list) and (field.control == "multiselect" or field.multiple) else "raw"


def hidden(fields: Sequence[NodeField], values: Mapping[str, Any], version: float) -> Iterator[str]:
    """The parameters at the top that are set and not shown. n8n stores what its form shows, so ours shows it, too."""
    given = dict(values)
    for _ in range(DEPTH):  # a default may show a field whose default shows another
        for field in fields:
            if field.default is not None and is_shown(field.when, given, given, version):
                given.setdefault(field.name, field.default)
    known = {field.name for field in fields if field.control != "hidden"}
    shown = {field.name for field in shown_fields(fields, given, given, version)}
    yield from (name for name in values if name in known and name not in shown)


def family(node_type: NodeType) -> str:
    if type(node_type).__module__.startswith("jackfield_vendors"):
        return "vendors"
    return "ai" if node_type.kind.startswith("langchain.") else "core"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Counter[str]]]:
    """Family -> the matter, with kind and path, or empty -> how often."""
    catalog = build(tmp_path_factory.mktemp("forms"), {}, {}).context("forms").port(NodeCatalog)
    counted: dict[str, Counter[str]] = {}
    for entry in json.loads(PLACE.read_text())["files"]:
        document = json.loads((PLACE.parent / "workflows" / entry["file"]).read_text())
        for node in document.get("nodes", []):
            node_type = catalog.find(local_type(node["type"]))
            if node_type is None:
                continue
            kind, form = node_type.kind, form_of(node_type, node.get("typeVersion"))
            for path, matter in verdicts(form, node.get("parameters") or {}):
                told = f"{matter}: {kind} {path}" if matter else ""
                counted.setdefault(family(node_type), Counter())[told] += 1
            version = float(node.get("typeVersion") or max(node_type.versions, default=1))
            counted.setdefault(f"{family(node_type)}{HIDDEN}", Counter()).update(
                {"": len(node.get("parameters") or {})}
                | {f"hidden: {kind} {name}": 1 for name in hidden(form, node.get("parameters") or {}, version)}
            )
    yield counted
    print("\n\nParameters of the corpus with a control made for them")
    for name, matters in sorted(counted.items()):
        print(f"  {name:<18} {matters['']:>6} of {matters.total()} ({share(matters):.2f} %)")


def share(matters: Counter[str]) -> float:
    return 100 * matters[""] / matters.total()


@pytest.mark.parametrize("name", sorted(LEAST))
def test_parameters_have_a_control_made_for_them(found: dict[str, Counter[str]], name: str) -> None:
    worst = [f"{count:>4} {told}" for told, count in found[name].most_common(SHOWN) if told]
    assert share(found[name]) >= LEAST[name], "\n".join(worst)


@pytest.mark.parametrize("name", ["ai", "core", "vendors"])
def test_what_n8n_has_stored_is_shown(found: dict[str, Counter[str]], name: str) -> None:
    matters = found[f"{name}{HIDDEN}"]
    assert share(matters) >= LEAST_SHOWN, [told for told in matters if told]
