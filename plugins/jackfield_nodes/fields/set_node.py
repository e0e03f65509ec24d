"""Set (Edit Fields): makes each item anew from fixed values, expressions and some of its present fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Self

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import new_item
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
    write,
)
from jackfield_nodes.values.conversions import CONVERSIONS, to_object, type_name, with_article


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


def convert(name: str, kind: str | None, value: object, *, ignore_errors: bool) -> Json:
    """The value in its field's type; null stays null. Raises `NodeError` that names the field."""
    converter = None if kind is None or value is None else CONVERSIONS.get(kind)
    if converter is None:
        return value  # type: ignore[return-value]  # resolved parameters are JSON
    try:
        return converter(value)
    except ValueError as exc:
        if ignore_errors:
            return value  # type: ignore[return-value]
        raise NodeError(
            f"The field '{name}' expects {with_article(str(kind))} but got {with_article(type_name(value))}, {exc}; "
            "change the field's type or turn on 'ignore conversion errors'."
        ) from None


def raw_object(value: object) -> dict[str, Json]:
    """The object of raw mode. Raises `NodeError`."""
    try:
        return to_object(value)
    except ValueError as exc:
        raise NodeError(f"The parameter jsonOutput must be one JSON object; it is {exc}.") from None


def new_json(parameters: SetParameters, json: dict[str, Json]) -> dict[str, Json]:
    """What the item's data becomes."""
    made = parameters.remaining(json)
    options = parameters.options
    if isinstance(parameters, ModernSet) and parameters.mode == "raw":
        for key, member in raw_object(parameters.json_output).items():
            write(made, key, member, dots=options.dot_notation)
        return made
    for name, kind, value in parameters.rows():
        converted = convert(name, kind, value, ignore_errors=options.ignore_conversion_errors)
        try:
            write(made, name, converted, dots=options.dot_notation)
        except ValueError as exc:
            raise NodeError(f"The field '{name}' cannot be set: {exc}.") from None
    return made


def changed(parameters: SetParameters, item: Item, index: int) -> Item:
    """The output item. Shares unchanged data with the input item. Raises `NodeError`."""
    files = item.get("binary") if parameters.keeps_binary() else None
    return new_item(new_json(parameters, item["json"]), index, files)


def copies(parameters: SetParameters) -> int:
    """How often each item comes while a workflow is tried out."""
    if not isinstance(parameters, ModernSet) or parameters.mode == "raw" or not parameters.duplicate_item:
        return 1
    return 1 + parameters.duplicate_count


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
        if run.execution.mode in {"manual", "test"}:
            made = [item for item, given in zip(made, resolved, strict=True) for _ in range(copies(given))]
        return [made]


def node(context: PluginContext) -> SetNode:
    return SetNode()
