"""The common part of this plugin's node types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from pydantic import Field

from jackfield.api.ai import note_tokens
from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.nodes import (
    AttachedNode,
    NodeError,
    NodeResult,
    NodeRun,
    NodeUnavailable,
    Parameters,
)
from jackfield.api.nodes.items import error_item
from jackfield.api.nodes.running import ModelNode, side_by_side
from jackfield.api.workflows import Items
from jackfield_ai.settings import AiSettings


class AiNode(ModelNode):
    """A node with one output whose runs ask others for something."""

    effect = True

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def settings(self) -> AiSettings:
        return self._context.settings(AiSettings)

    async def execute(self, run: NodeRun) -> NodeResult:
        raise NodeUnavailable(
            f"The node '{run.node.name}' serves other nodes and does not run by itself; connect it to one."
        )


class ServingNode(AiNode):
    """A node that only serves others."""

    effect = False

    async def supply(self, node: AttachedNode, item: int) -> object:
        """See `SupplyingNode`; every kind has its own."""
        raise NotImplementedError


class SideBySide(Parameters):
    """Items that are worked on side by side, and the pause between one batch and the next."""

    batch_size: int = Field(1, ge=1)
    delay_between_batches: float = Field(0, ge=0, description="Milliseconds.")


MAX_BATCH = 50


async def each_item(
    run: NodeRun,
    work: Callable[[int], Awaitable[Items]],
    batching: SideBySide | None = None,
    clock: Clock | None = None,
) -> Items:
    """The items that the work makes of each input item, in their order. A failure is an item when the node goes on
    after errors."""
    made = await of_each_item(run, range(len(run.items)), work, batching, clock)
    return [item for items in made for item in items]


async def of_each_item(
    run: NodeRun,
    indexes: Sequence[int],
    work: Callable[[int], Awaitable[Items]],
    batching: SideBySide | None = None,
    clock: Clock | None = None,
) -> list[Items]:
    """The same, apart for each of these input items."""
    size = min(batching.batch_size, MAX_BATCH) if batching is not None else 1

    async def pause() -> None:
        if clock is not None and batching is not None and batching.delay_between_batches:
            await clock.sleep(batching.delay_between_batches / 1000)

    found = await side_by_side(run, indexes, work, size=size, pause=pause)
    pairs = zip(indexes, found, strict=True)
    return [[error_item(made, index)] if isinstance(made, NodeError) else made for index, made in pairs]


def log_usage(run: NodeRun, model: str, tokens_in: int, tokens_out: int) -> None:
    """The cost of a run is kept with the node's record, in its context."""
    run.log.info("%s: %s took %d and gave %d tokens", run.node.name, model, tokens_in, tokens_out)
    note_tokens(run.context, model, tokens_in, tokens_out)
