"""Merge: makes one list of items of several inputs. It runs once all wired inputs have their items."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.items import all_pairs, new_item
from jackfield.api.workflows import Items, Node
from jackfield_nodes.merging.append import appended
from jackfield_nodes.merging.by_fields import joined, joined_strictly
from jackfield_nodes.merging.by_position import by_position, by_position_of_two, with_preferred_again
from jackfield_nodes.merging.choose import chosen
from jackfield_nodes.merging.conflicts import Resolution
from jackfield_nodes.merging.every_pair import every_pair
from jackfield_nodes.merging.legacy import combined
from jackfield_nodes.merging.legacy_parameters import LEGACY_ONLY, LegacyMerge
from jackfield_nodes.merging.parameters import (
    CombineParameters,
    Merge2,
    Merge3,
    Merge32,
    placeholders,
    success_when_empty,
)
from jackfield_nodes.merging.settings import MergeSettings
from jackfield_nodes.merging.sql import MergeQuery, QueryLimits, QueryStop, query
from jackfield_nodes.values.threads import worked

STRICT = 2.0
"""The version in which fields to match by have to be in an item."""
PAIRS_ROWS, NEWEST = 3.1, 3.2
"""The version from which on rows of SQL are paired one by one, and the one of a document without a version."""


def form_of(raw: Mapping[str, object]) -> type[CombineParameters | LegacyMerge]:
    """The model that fits the keys of a document without typeVersion."""
    if raw.get("mode") in LEGACY_ONLY:
        return LegacyMerge
    return Merge2 if "combinationMode" in raw or raw.get("output") in {"input1", "input2"} else Merge32


class UnversionedMerge(Merge32):
    """A document without typeVersion: validates to an instance of whichever form its keys tell."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        form = form_of(raw) if isinstance(raw, dict) else Merge32
        return handler(raw) if form is Merge32 else form.model_validate(raw)  # type: ignore[return-value]


class MergeNode:
    """Pure: changes nothing outside the execution."""

    kind = "merge"
    versions: Sequence[float] = (1, 2, 2.1, 3, 3.1, 3.2)
    description = NodeDescription("Merge", "Makes one list of items of several inputs.", "flow", inputs=2)
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedMerge
        if version < 2:
            return LegacyMerge
        if version < 3:
            return Merge2
        return Merge3 if version < 3.2 else Merge32

    def outputs(self, node: Node) -> int:
        return 1

    def required_inputs(self, node: Node) -> frozenset[int]:
        """The branch that is chosen may be either."""
        newer = node.version is None or node.version >= 2
        return frozenset((0, 1)) if newer and node.parameters.get("mode") == "chooseBranch" else frozenset()

    async def execute(self, run: NodeRun) -> NodeResult:
        given: CombineParameters | LegacyMerge = await run.resolve_first()
        settings = self._context.settings(MergeSettings)
        declared = given.number_inputs if isinstance(given, Merge3) else 2
        inputs = [*run.inputs, *([] for _ in range(declared - len(run.inputs)))]
        size = sum(map(len, inputs))
        if isinstance(given, LegacyMerge):
            if given.mode == "multiplex":
                size = _size_of_product(inputs, settings)
            return [await worked(size, combined, inputs, given)]
        return [await self._combined(run, inputs, given, settings)]

    async def _combined(
        self, run: NodeRun, inputs: list[Items], given: CombineParameters, settings: MergeSettings
    ) -> Items:
        size = sum(map(len, inputs))
        match given.way():
            case "append":
                return await worked(size, appended, inputs)
            case "branch":
                return await worked(size, chosen, run.inputs, given.branch())
            case "fields":
                join = joined_strictly if run.node.version == STRICT else joined
                return await worked(size, join, inputs, given, settings.max_items)
            case "position" if isinstance(given, Merge2) and not all(inputs[:2]):
                return await worked(size, appended, inputs)
            case "position":
                how, unpaired = Resolution.of(given.conflict()), given.options.include_unpaired
                if isinstance(given, Merge2):
                    return await worked(size, by_position_of_two, inputs, how, unpaired=unpaired)
                made = await worked(size, by_position, inputs, how, unpaired=unpaired)
                return await worked(size, with_preferred_again, made, inputs, how)
            case "all":
                size = _size_of_product(inputs, settings)
                return await worked(size, every_pair, inputs[0], inputs[1], Resolution.of(given.conflict()))
            case "sql":
                return await self._queried(run, inputs, given, settings)

    @staticmethod
    async def _queried(run: NodeRun, inputs: list[Items], given: CombineParameters, settings: MergeSettings) -> Items:
        limits = QueryLimits(settings.query_timeout, settings.query_max_bytes, settings.max_items)
        stop = QueryStop()
        try:
            items, rows = await asyncio.to_thread(query, inputs, _asked(run, given), limits, stop, run.log.warning)
        finally:
            stop.set()
        if not rows and success_when_empty(given):
            return [new_item({"success": True}, all_pairs(inputs))]
        return items


def _asked(run: NodeRun, given: CombineParameters) -> MergeQuery:
    """Raises `NodeError`."""
    by_row = (run.node.version or NEWEST) >= PAIRS_ROWS and given.sql()[:6].lower() == "select"
    return MergeQuery(given.sql(), placeholders(given.options.query_parameters), by_row)


def _size_of_product(inputs: Sequence[Items], settings: MergeSettings) -> int:
    """How many items all combinations of the first two inputs are. Raises `NodeError` when they are too many."""
    size = len(inputs[0]) * len(inputs[1])
    if size > settings.max_items:
        raise NodeError(
            f"All combinations would be {size} items, more than {settings.max_items}; combine by fields, or raise the "
            "setting nodes.merge.max_items."
        )
    return size


def node(context: PluginContext) -> MergeNode:
    return MergeNode(context)
