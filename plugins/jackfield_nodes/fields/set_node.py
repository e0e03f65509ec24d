"""Set (Edit Fields): makes each item anew from fixed values, expressions and some of its present fields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import tzinfo
from typing import Self

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import LONG, new_item, own_pair
from jackfield.api.nodes.leaves import Apart, Leaf, filled
from jackfield.api.nodes.running import mapped
from jackfield.api.shared_keys import ComingObjects
from jackfield.api.workflows import Item, Items, Node
from jackfield_nodes.fields.set_parameters import (
    AssignmentsSet,
    FieldsSet,
    FirstSet,
    FlatSet,
    LatestSet,
    LegacySet,
    ModernSet,
    SetParameters,
    StrictFieldsSet,
    TextFieldsSet,
)
from jackfield_nodes.fields.set_values import Conversion, Row, file_of, put, raw_object
from jackfield_nodes.values.paths import is_path
from jackfield_nodes.values.zones import zone_of


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


_AS_IT_IS: Mapping[str | None, type] = {"string": str, "number": int, "boolean": bool}
"""Types of fields -> of values that fit them in every form."""


class ItemWriter:
    """Makes items with the same parameters. It looks once at the part of the parameters that the items share."""

    def __init__(self, parameters: SetParameters, zone: Callable[[], tzinfo]) -> None:
        """zone: the workflow's. Raises `NodeError`."""
        self.parameters = parameters
        self._dots = parameters.options.dot_notation
        raw = isinstance(parameters, ModernSet) and parameters.mode == "raw"
        rows = [] if raw else list(parameters.rows())
        self._keeps_files = parameters.keeps_binary()
        self._fitted = parameters.fitting(Conversion(parameters.options.ignore_conversion_errors, zone))
        self._raw = [parameters.json_output] if isinstance(parameters, ModernSet) and raw else []
        self._files = [row for row in rows if row[1] == "binary"]
        self._rows = [(*row, self._fitting(row)) for row in rows if row[1] != "binary"]

    def _fitting(self, row: Row) -> type | None:
        """The type of values that are written as they are; None where each has to be looked at."""
        return _AS_IT_IS.get(row[1]) if self._dots and not is_path(row[0]) else None

    def written(self, item: Item, index: int, values: Sequence[object]) -> Item:
        """The output item. Shares unchanged data with the input item. values: of the leaves. Raises `NodeError`."""
        present = item.get("binary") or {}
        files = dict(present) if self._keeps_files else {}
        json = self.parameters.remaining(item["json"])
        dots = self._dots
        for given in self._raw:
            for key, member in raw_object(filled(given, values)).items():
                put(json, key, member, dots=dots)
        for name, _, value in self._files:
            files[name] = file_of(name, filled(value, values), present)
        for name, kind, given, fitting in self._rows:
            value = values[given.place] if type(given) is Leaf else given
            if type(value) is fitting:
                json[name] = value  # type: ignore[assignment]  # a text, a number or a truth value
            else:
                put(json, name, self._fitted((name, kind, value)), dots=dots)
        return new_item(json, own_pair(item, index), files)


def copies(parameters: SetParameters) -> int:
    """How often each item comes while a workflow is tried out."""
    if not isinstance(parameters, ModernSet) or parameters.mode == "raw" or not parameters.duplicate_item:
        return 1
    return 1 + parameters.duplicate_count


DUPLICATES = "duplicateItem"
"""Without this parameter there is one copy."""


FORMS: Sequence[tuple[float, type[SetParameters]]] = (
    (2, FirstSet),
    (3, LegacySet),
    (3.1, TextFieldsSet),
    (3.2, StrictFieldsSet),
    (3.3, FieldsSet),
    (3.4, AssignmentsSet),
)
"""The models of the versions below each number."""


class SetNode:
    """Pure: changes nothing outside the execution."""

    kind = "set"
    versions: Sequence[float] = (1, 2, 3, 3.1, 3.2, 3.3, 3.4, 3.5)
    description = NodeDescription("Edit Fields (Set)", "Adds, changes or removes fields of items.", "transform")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedSet
        return next((model for until, model in FORMS if version < until), LatestSet)

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[Apart[SetParameters]] = await run.resolve_apart()
        items = run.items
        writer: ItemWriter | None = None
        compact = ComingObjects().of if len(items) > LONG else None

        def one(index: int, given: Apart[SetParameters]) -> Items:
            nonlocal writer
            if writer is None or writer.parameters is not given.parameters:
                writer = ItemWriter(given.parameters, lambda: zone_of(run))
            item = writer.written(items[index], index, given.values)
            if compact is not None:
                item["json"] = compact(item["json"])
            return [item]

        made = await mapped(run, resolved, one)
        if DUPLICATES in run.node.parameters and run.execution.mode in {"manual", "test"}:
            made = [item for item, given in zip(made, resolved, strict=True) for _ in range(copies(given.parameters))]
        return [made]


def node(context: PluginContext) -> SetNode:
    return SetNode()
