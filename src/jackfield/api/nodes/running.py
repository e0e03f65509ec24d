"""How a node goes through its items: one after another, side by side, to several outputs, or all at once.

Each function here does the same with an item that fails, that is, whose work raises `NodeError` or `BinaryError`. It
fails the node, unless the node goes on after errors. Then an error item takes its place. The event loop goes to others
in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from ..binary import BinaryError
from ..context import PluginContext
from ..workflows import Item, Items, Node, Outputs, PairedItem
from .descriptions import NodeDescription
from .items import accepted, error_item, goes_on, new_item, pass_all, passed_on
from .parameters import NodeParameters, NoParameters
from .types import NodeError, NodeResult, NodeRun

Row = TypeVar("Row")
Model = TypeVar("Model")
Result = TypeVar("Result")

SLICE = 500
"""Items of one slice: some milliseconds of work, even where each item is a few conditions to evaluate."""
_ASKING_SLICE = 50
"""The same for work that awaits."""
FAILURES = (NodeError, BinaryError)
"""The errors that an item may fail with; anything else is a mistake in the node."""


async def each(rows: Iterable[Row], size: int = SLICE) -> AsyncIterator[tuple[int, Row]]:
    """(index, row) of every row, with a pause after every `size` rows."""
    for index, row in enumerate(rows):
        if index and not index % size:
            await asyncio.sleep(0)
        yield index, row


async def mapped(run: NodeRun, resolved: Sequence[Model], work: Callable[[int, Model], Items]) -> Items:
    """The items that `work` makes of each input item, without awaiting: of its index and its row of `resolved`. Raises
    `NodeError`."""
    made: Items = []
    for index, row in enumerate(resolved):
        if index and not index % SLICE:
            await asyncio.sleep(0)
        try:
            made += work(index, row)
        except FAILURES as exc:
            made.append(error_item(accepted(run, exc, index), index))
    return made


async def made_per_item(
    run: NodeRun, resolved: Sequence[Model], work: Callable[[int, Model], Awaitable[Items]]
) -> Items:
    """The same for work that awaits. Raises `NodeError`."""
    made: Items = []
    for index, row in enumerate(resolved):
        if index % _ASKING_SLICE == _ASKING_SLICE - 1:
            await asyncio.sleep(0)
        try:
            made += await work(index, row)
        except FAILURES as exc:
            made.append(error_item(accepted(run, exc, index), index))
    return made


async def made_per_group(
    run: NodeRun, groups: Iterable[Sequence[int]], work: Callable[[Sequence[int]], Awaitable[Items]]
) -> Items:
    """The items that `work` makes of each group of input items, given by their indexes. All of a group fail together.
    Raises `NodeError` with the group's first index."""
    made: Items = []
    for group in groups:
        try:
            made += await work(group)
        except FAILURES as exc:
            error = accepted(run, exc, group[0])
            made += [error_item(error, index) for index in group]
    return made


async def routed(
    run: NodeRun,
    resolved: Sequence[Model],
    outputs: int,
    route: Callable[[int, Model], Iterable[int]],
    failed: Callable[[NodeError, int], tuple[int, Item] | None] | None = None,
) -> Outputs:
    """Every input item on the outputs that `route` tells for its index and its row of `resolved`.

    failed: for the error and the index of an item that failed, its output and what stands there for it. None leaves it
    out. Default: an error item on the first output. Raises `NodeError`, also for an output that there is not.
    """
    made: Outputs = [[] for _ in range(outputs)]
    items = run.items
    for index, row in enumerate(resolved):
        if index and not index % SLICE:
            await asyncio.sleep(0)
        try:
            targets = route(index, row)
        except FAILURES as exc:
            error = accepted(run, exc, index)
            place = (0, error_item(error, index)) if failed is None else failed(error, index)
            if place is not None:
                made[place[0]].append(place[1])
            continue
        for target in targets:
            if target >= outputs:
                raise NodeError(
                    f"Item {index} goes to output {target}, but item 0 has only {outputs} outputs; the number of rules "
                    "must be the same for all items.",
                    item=index,
                )
            made[target].append(passed_on(items[index], index))
    return made


async def side_by_side(
    run: NodeRun,
    indexes: Sequence[int],
    work: Callable[[int], Awaitable[Result]],
    *,
    size: int = 1,
    pause: Callable[[], Awaitable[None]] | None = None,
) -> list[Result | NodeError]:
    """The result of `work` for each of these input items, or the error of an item that failed.

    `size`: how many are worked on at the same time. A batch is finished before the next begins. `pause`: awaited
    between two batches. Raises the first failed item's `NodeError`, after its batch, unless the node goes on after
    errors.
    """
    found: list[Result | NodeError] = []
    for start in range(0, len(indexes), size):
        if start and pause is not None:
            await pause()
        batch = indexes[start : start + size]
        results = await asyncio.gather(*(work(index) for index in batch), return_exceptions=True)
        for index, result in zip(batch, results, strict=True):
            if isinstance(result, FAILURES):
                found.append(accepted(run, result, index))
            elif isinstance(result, BaseException):
                raise result
            else:
                found.append(result)
    return found


async def made_side_by_side(
    run: NodeRun,
    indexes: Sequence[int],
    work: Callable[[int], Awaitable[Items]],
    *,
    size: int = 1,
    pause: Callable[[], Awaitable[None]] | None = None,
) -> Items:
    """The items that `work` makes of each of these input items, in their order; see `side_by_side`."""
    found = await side_by_side(run, indexes, work, size=size, pause=pause)
    made: Items = []
    for index, result in zip(indexes, found, strict=True):
        made += [error_item(result, index)] if isinstance(result, NodeError) else result
    return made


async def made_at_once(
    run: NodeRun, work: Callable[[], Awaitable[Outputs]], *, origin: int | list[PairedItem] | None = 0
) -> Outputs:
    """The outputs that `work` makes of all items together; when it fails, one error item stands for all of them.

    origin: the input item or items that it is paired with, unless the error names one. None leaves the pairing to the
    engine. Raises `NodeError`.
    """
    try:
        return await work()
    except FAILURES as exc:
        if not goes_on(run):
            if isinstance(exc, BinaryError):
                raise NodeError(exc.message) from None
            raise
        named = exc.item if isinstance(exc, NodeError) else None
        paired = origin if named is None else named
        json = {"error": exc.message}
        return [[{"json": {**json}} if paired is None else new_item({**json}, paired)]]


class ModelNode:
    """Base of node types: `execute` does the work."""

    kind: str
    versions: Sequence[float]
    description: NodeDescription
    effect = False
    model: type[NodeParameters]
    """Of the parameters of every version; a node whose versions differ overrides `parameters`."""

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self.model

    def outputs(self, node: Node) -> int:
        """As many as the description names."""
        return len(self.description.outputs)


class PassingNode(ModelNode):
    """A node whose output is its input: triggers get their items from what started them."""

    def __init__(
        self,
        kind: str,
        versions: Sequence[float],
        description: NodeDescription,
        model: type[NodeParameters] = NoParameters,
    ) -> None:
        self.kind = kind
        self.versions = versions
        self.description = description
        self.model = model

    async def execute(self, run: NodeRun) -> NodeResult:
        return pass_all(run.items)


class ItemNode(ModelNode):
    """Base of node types with one output that handle each item on its own; `item` does the work."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def execute(self, run: NodeRun) -> NodeResult:
        async def work(index: int, parameters: Any) -> Items:  # an instance of the node's model
            return await self.item(run, parameters, run.items[index], index)

        return [await made_per_item(run, await run.resolve(), work)]

    async def item(self, run: NodeRun, parameters: Any, item: Item, index: int) -> Items:
        """The output for one item; `parameters` is an instance of the node's model. Raises `NodeError`."""
        raise NotImplementedError
