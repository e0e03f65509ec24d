"""The text of a page about one node type, and of the list of all, in Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from jackfield.api.ai import TITLES
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCatalog, NodeCredential, NodeType
from jackfield.api.nodes.fields import forms_of
from jackfield_workflows.node_pages.examples import NodeExamples
from jackfield_workflows.node_pages.parameter_rows import parameter_table
from jackfield_workflows.routes.node_type_views import HELP

GROUPS: Mapping[str, str] = {
    "trigger": "Triggers",
    "flow": "Flow",
    "transform": "Data",
    "code": "Code and agents",
    "input": "Files in",
    "output": "Answers and files out",
    "network": "Services",
    "ai": "AI",
}
"""In the order of the editor's list."""
_PLACE = re.compile(r"\[\s+(-?\d+),\s+(-?\d+)\s+\]")
"""A position over four lines."""


def page_name(kind: str) -> str:
    """The name of a kind's page: letters, digits, `.`, `_` and `-` alone."""
    return kind.replace("@", "").replace("/", ".")


def node_page(node_type: NodeType, example: Mapping[str, Json], root: str = "../") -> str:
    """root: what stands before the names of other pages in links."""
    described = node_type.description
    parts = [f"# {described.display_name}", described.summary]
    if described.missing:
        parts.append(f"**It cannot run here:** {described.missing}")
    parts.append("\n".join(_facts(node_type)))
    help_page = described.help or HELP.get(described.group, "")
    if help_page:
        page, _, place = help_page.partition("#")
        address = help_page if help_page.startswith("https://") else f"{root}{page}.md{'#' + place if place else ''}"
        parts.append(f"[More about such nodes]({address})")
    if described.credentials:
        parts += ["## Credentials", "\n".join(_credential(one) for one in described.credentials)]
    parts += ["## Parameters", *_parameters(node_type)]
    limits = list(_limits(node_type))
    if limits:
        parts += ["## Limits", "\n".join(f"- {one}" for one in limits)]
    shown = _PLACE.sub(r"[\1, \2]", json.dumps(example, indent=1, ensure_ascii=False))
    parts += ["## Example", "Paste it into an empty workflow.", f"```json\n{shown}\n```"]
    return "\n\n".join(parts) + "\n"


def page_of(node_type: NodeType, catalog: NodeCatalog, root: str) -> str:
    """The page with its example."""
    return node_page(node_type, NodeExamples(catalog).of(node_type), root)


def index_page(node_types: Iterable[NodeType], root: str = "") -> str:
    """By group, those that can run before the others. root: as in `node_page`, of the pages of node types."""
    by_group: dict[str, list[NodeType]] = {}
    for one in sorted(node_types, key=lambda one: one.description.display_name.lower()):
        by_group.setdefault(one.description.group, []).append(one)
    lines = ["# Node types", "", "A page for each: parameters, versions, credentials, limits and an example workflow."]
    for group in [*GROUPS, *sorted(by_group.keys() - GROUPS.keys())]:
        if some := by_group.get(group):
            lines += ["", f"## {GROUPS.get(group, group)}", "", "| Node | Kind | What it does |", "| --- | --- | --- |"]
            lines += [_index_row(one, root) for one in some if not one.description.missing]
            lines += [_index_row(one, root) for one in some if one.description.missing]
    return "\n".join(lines) + "\n"


def _index_row(one: NodeType, root: str) -> str:
    told = one.description
    said = f"cannot run: {told.missing}" if told.missing else told.summary
    link = f"[{told.display_name}]({root}{page_name(one.kind)}.md)"
    return f"| {link} | `{one.kind}` | {' '.join(said.split())} |".replace("<", "&lt;")


def _facts(node_type: NodeType) -> Iterator[str]:
    described = node_type.description
    versions = ", ".join(f"{one:g}" for one in sorted(node_type.versions))
    yield f"- Kind: `{node_type.kind}`; group: {GROUPS.get(described.group, described.group)}"
    yield f"- Versions: {versions}"
    if described.trigger:
        yield "- It starts workflows."
    elif described.provides:
        yield f"- It serves another node as {TITLES.get(described.provides, described.provides)}."
    else:
        yield f"- Inputs: {described.inputs}; outputs: {', '.join(described.outputs) or 'none'}"
    if described.accepts:
        yield f"- Parts that it takes: {', '.join(TITLES.get(one, one) for one in described.accepts)}"
    if described.needs:
        yield f"- Parts that it needs: {', '.join(TITLES.get(one, one) for one in described.needs)}"


def _credential(one: NodeCredential) -> str:
    kind = f"`{one.kind}`" if one.kind else f"the one that the parameter `{one.parameter}` names"
    conditions = [
        f"the version is {' or '.join(filter(None, values))}"
        if name == "@version"
        else f"`{name}` is {' or '.join(f'`{value}`' if value else 'empty' for value in values)}"
        for name, values in one.when.items()
    ]
    suffix = f", while {' and '.join(conditions)}" if conditions else ""
    return f"- {kind}{suffix}{'' if one.required else '; optional'}"


def _parameters(node_type: NodeType) -> Iterator[str]:
    forms = sorted(forms_of(node_type), key=lambda form: max(form.versions, default=0), reverse=True)
    if not forms or not any(form.fields for form in forms):
        yield "It has none."
        return
    newest, *older = forms
    if older:
        yield f"Of version {', '.join(f'{one:g}' for one in newest.versions)}:"
    yield parameter_table(newest.fields)
    known = {field.name for field in newest.fields}
    others: dict[str, list[float]] = {}
    for form in older:
        names = [f"`{one}`" for one in dict.fromkeys(field.name for field in form.fields) if one not in known]
        others.setdefault(", ".join(names), []).extend(form.versions)
    for told, versions in others.items():
        if told and versions:
            yield f"Of version {', '.join(f'{one:g}' for one in versions)} also: {told}."


def _limits(node_type: NodeType) -> Iterator[str]:
    described = node_type.description
    if described.scopes:
        names = ", ".join(f"`{one}`" for one in described.scopes)
        yield f"You need {names} to store, activate or start a workflow with it."
    if node_type.effect:
        yield "It changes the world outside: a crash while it runs repeats it, so that it acts at least once."
    if described.needs:
        yield "Without the parts that it needs it does not run."
