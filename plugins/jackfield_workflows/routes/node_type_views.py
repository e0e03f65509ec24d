"""Node types as the API shows them.

JSON Schema takes its time. It is built once, on first use, off the event loop, and for one node type alone when only
one is asked for. The fields of forms come with that one alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from jackfield.api.ai import TOOL
from jackfield.api.containment import is_ctrl_c
from jackfield.api.extensions import PluginReports
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import TOOL_FORM, NodeCatalog, NodeCredential, NodeOutline, NodeParameters, NodeShape, NodeType
from jackfield.api.nodes.tool_form import forms_for
from jackfield.api.records import record

OutlineT = TypeVar("OutlineT", bound=NodeOutline)
_log = logging.getLogger(__name__)
HELP: Mapping[str, str] = {
    "ai": "ai#nodes",
    "code": "workflows#code-nodes",
    "flow": "workflows#nodes",
    "input": "workflows#files",
    "network": "integrations",
    "output": "workflows#files",
    "transform": "workflows#nodes",
    "trigger": "workflows#nodes",
}
"""Group -> the page about its nodes, for those that name none."""


@record
class _Listed:
    """One node type of the list. runs: whether it can run here."""

    kind: str
    runs: bool
    view: bytes


class NodeTypeViews:
    """The answers, as JSON. They are made anew when node types have changed. One that cannot be shown is its plugin's
    mistake, and left out."""

    def __init__(
        self,
        catalog: Callable[[], NodeCatalog],
        reports: Callable[[], PluginReports | None],
        renewals: Callable[[], int],
    ) -> None:
        self._catalog = catalog
        self._reports = reports
        self._renewals = renewals
        self._made_after = 0
        self._views: dict[str, bytes] = {}
        """By kind, with the fields."""
        self._lists: dict[bool, Sequence[_Listed]] = {}
        """With schemas or without."""
        self._lock = asyncio.Lock()

    async def all(self, *, schemas: bool, unavailable: bool = False, left_out: Callable[[str], bool]) -> bytes:
        """The list of the node types that can run. `schemas`: with their parameters. `unavailable`: with the others.
        `left_out`: whether the caller may not use a kind."""
        async with self._lock:
            self._forget_stale()
            if schemas not in self._lists:
                self._lists[schemas] = await asyncio.to_thread(self._with_schemas if schemas else self._summaries)
            listed = [one for one in self._lists[schemas] if one.runs or unavailable]
        views = [one.view for one in listed if not left_out(one.kind)]
        return b'{"data":[' + b",".join(views) + b'],"total":' + str(len(views)).encode() + b"}"

    async def one(self, kind: str) -> bytes:
        """Empty when there is no such node type."""
        async with self._lock:
            self._forget_stale()
            return await asyncio.to_thread(self._found, kind)

    def _forget_stale(self) -> None:
        if (count := self._renewals()) != self._made_after:
            self._made_after = count
            self._views.clear()
            self._lists.clear()

    def _found(self, kind: str) -> bytes:
        found = self._catalog().find(kind)
        if found is None or (found.kind != kind and found.description.provides):
            return b""
        if kind not in self._views:
            self._views[kind] = self._shown(found, node_type_view if found.kind == kind else tool_view)
        return self._views[kind]

    def _with_schemas(self) -> Sequence[_Listed]:
        return self._listed(self._catalog().all(), schema_view)

    def _summaries(self) -> Sequence[_Listed]:
        return self._listed(self._catalog().outlines(), summary)

    def _listed(self, nodes: Sequence[OutlineT], view: Callable[[OutlineT], dict[str, Json]]) -> Sequence[_Listed]:
        ordered = sorted(nodes, key=lambda one: one.kind)
        shown = [_Listed(one.kind, not one.description.missing, self._shown(one, view)) for one in ordered]
        return [one for one in shown if one.view]

    def _shown(self, node_type: OutlineT, view: Callable[[OutlineT], dict[str, Json]]) -> bytes:
        """The view as JSON; empty when a mistake of its plugin makes that impossible."""
        try:
            return dumps(view(node_type))
        except BaseException as exc:
            if is_ctrl_c(exc):
                raise
            _log.debug("The node type %s cannot be shown.", node_type.kind, exc_info=exc)
            if (reports := self._reports()) is not None and (plugin := reports.plugin_of_node(node_type.kind)):
                told = f"cannot give the parameters of the node type {node_type.kind}: {type(exc).__name__}: {exc}"
                reports.report(plugin, told)
            return b""


def summary(node_type: NodeOutline) -> dict[str, Json]:
    """The summary of a node type, without its parameters."""
    described = node_type.description
    return {
        "kind": node_type.kind,
        "type": f"jackfield.{node_type.kind}",
        "displayName": described.display_name,
        "description": described.summary,
        "group": described.group,
        "icon": described.icon,
        "help": described.help or HELP.get(described.group, ""),
        "versions": [*sorted(node_type.versions)],
        "trigger": described.trigger,
        "effect": node_type.effect,
        "inputs": described.inputs,
        "outputs": list(described.outputs),
        "provides": described.provides,
        "accepts": list(described.accepts),
        "needs": list(described.needs),
        "shapes": [shape_view(one) for one in described.shapes],
        "credentials": [credential_view(one) for one in described.credentials],
        "available": not described.missing,
        "missing": described.missing,
        "scopes": list(described.scopes),
    }


def shape_view(shape: NodeShape) -> dict[str, Json]:
    return {
        "when": {name: list(values) for name, values in shape.when.items()},
        "inputs": shape.inputs,
        "outputs": list(shape.outputs),
        "provides": shape.provides,
        "accepts": list(shape.accepts),
    }


def credential_view(credential: NodeCredential) -> dict[str, Json]:
    """n8n's `{name, required, displayOptions}` with simpler conditions."""
    view: dict[str, Json] = {"name": credential.kind, "required": credential.required}
    if credential.parameter:
        view["parameter"] = credential.parameter
    if credential.when:
        view["when"] = {name: list(values) for name, values in credential.when.items()}
    return view


def schema_view(node_type: NodeType) -> dict[str, Json]:
    """`parameters` is the model of the newest version; `forms` has those of all versions, each once."""
    models: dict[type[NodeParameters], list[float]] = {}
    versions = sorted(node_type.versions)
    for version in versions:
        models.setdefault(node_type.parameters(version), []).append(version)
    models.setdefault(node_type.parameters(None), [])
    schemas = {model: _schema(model, node_type.kind) for model in models}
    return {
        **summary(node_type),
        "parameters": schemas[node_type.parameters(versions[-1] if versions else None)],
        "forms": [
            {"versions": list(given), "default": model is node_type.parameters(None), "parameters": schemas[model]}
            for model, given in models.items()
        ],
    }


def tool_view(node_type: NodeType) -> dict[str, Json]:
    """Of the type in its `TOOL_FORM`: what an agent calls."""
    kind = node_type.kind + TOOL_FORM
    return {
        **_whole_view(node_type, kind),
        "kind": kind,
        "type": f"jackfield.{kind}",
        "displayName": f"{node_type.description.display_name} Tool",
        "inputs": 0,
        "outputs": [],
        "provides": TOOL,
        "accepts": [],
        "shapes": [],
    }


def node_type_view(node_type: NodeType) -> dict[str, Json]:
    """The same as `schema_view`, and each form with its fields."""
    return _whole_view(node_type, node_type.kind)


def _whole_view(node_type: NodeType, kind: str) -> dict[str, Json]:
    versions = sorted(node_type.versions)
    schemas: dict[type[NodeParameters], dict[str, Json]] = {}

    def schema(version: float | None) -> dict[str, Json]:
        model = node_type.parameters(version)
        if model not in schemas:
            schemas[model] = _schema(model, node_type.kind)
        return schemas[model]

    forms: list[Json] = []
    for form in forms_for(node_type, kind):
        fields: list[Json] = [
            field.model_dump(mode="json", by_alias=True, exclude_defaults=True) for field in form.fields
        ]
        shown: dict[str, Json] = {"versions": [*form.versions], "default": form.default}
        forms.append({**shown, "parameters": schema(next(iter(form.versions), None)), "fields": fields})
    return {**summary(node_type), "parameters": schema(versions[-1] if versions else None), "forms": forms}


def _schema(model: type[NodeParameters], kind: str) -> dict[str, Json]:
    try:
        return model.model_json_schema(by_alias=True)
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        _log.exception("The parameters of the node type %s have no JSON Schema.", kind)
        return {"type": "object"}
