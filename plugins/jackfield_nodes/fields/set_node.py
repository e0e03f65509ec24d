"""Set (Edit Fields): makes each item anew from fixed values, expressions and some of its present fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import new_item, own_pair
from jackfield.api.nodes.running import mapped
from jackfield.api.workflows import Item, Node
from jackfield_nodes.fields.set_parameters import (
    AssignmentsSet,
    FieldsSet,
    FlatSet,
    LatestSet,
    LegacySet,
    ModernSet,
    SetParameters,
    new_json,
)


class UnversionedSet(LatestSet):
    """A document without typeVersion: validates to an instance of whichever form its keys tell."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        form = form_of(raw) if isinstance(raw, dict) else LatestSet
        return handler(raw) if form is LatestSet else form.model_validate(raw)  # type: ignore[return-value]

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        form = form_of(parameters)
        return super().json_templates(parameters) if form is LatestSet else form.json_templates(parameters)


def form_of(raw: Mapping[str, object]) -> type[SetParameters]:
    """The model that fits the keys of a document without typeVersion."""
    if isinstance(raw.get("assignments"), list):
        return FlatSet
    if isinstance(raw.get("values"), dict):
        return LegacySet
    return FieldsSet if isinstance(raw.get("fields"), dict) else LatestSet


def changed(parameters: SetParameters, item: Item, index: int) -> Item:
    """The output item. Shares unchanged data with the input item. Raises `NodeError`."""
    files = item["binary"] if "binary" in item and parameters.keeps_binary() else None
    return new_item(new_json(parameters, item["json"]), own_pair(item, index), files)


def copies(parameters: SetParameters) -> int:
    """How often each item comes while a workflow is tried out."""
    if not isinstance(parameters, ModernSet) or parameters.mode == "raw" or not parameters.duplicate_item:
        return 1
    return 1 + parameters.duplicate_count


DUPLICATES = "duplicateItem"
"""Without this parameter there is one copy."""


class SetNode:
    """Pure: changes nothing outside the execution."""

    kind = "set"
    versions: Sequence[float] = (1, 2, 3, 3.1, 3.2, 3.3, 3.4)
    description = NodeDescription("Edit Fields (Set)", "Adds, changes or removes fields of items.", "transform")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedSet
        if version < 3:
            return LegacySet
        if version < 3.3:
            return FieldsSet
        return AssignmentsSet if version < 3.4 else LatestSet

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[SetParameters] = await run.resolve()
        items = run.items
        made = await mapped(run, resolved, lambda index, parameters: [changed(parameters, items[index], index)])
        if DUPLICATES in run.node.parameters and run.execution.mode in {"manual", "test"}:
            made = [item for item, given in zip(made, resolved, strict=True) for _ in range(copies(given))]
        return [made]


def node(context: PluginContext) -> SetNode:
    return SetNode()
