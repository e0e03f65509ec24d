"""Loop Over Items (Split in Batches). The node hands out its items batch by batch, each time that it is reached again.
Then it hands out everything that came back round.

Its memory is a few numbers: the items themselves are in the results of the nodes before. Every run of this node got
them from there. So a loop of ten thousand rounds stores ten thousand small records, not ten thousand lists.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeParameters, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import pair_of_run, passed_on, repaired
from jackfield.api.nodes.running import each
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items, Node, Outputs
from jackfield_nodes.flow.form import LOOP, LOOP_OPTIONS


class LoopOptions(Parameters):
    ui_fields: ClassVar[UiFields] = LOOP_OPTIONS

    reset: Flag = Field(False, description="Whether the items that come in now are a new set to begin with.")


class Loop(Parameters):
    """Version 3."""

    ui_fields: ClassVar[UiFields] = LOOP

    batch_size: int = Field(1, ge=1, description="How many items each round gets.")
    options: LoopOptions = Field(default_factory=LoopOptions)


class LegacyLoop(Loop):
    """Versions 1 and 2."""

    ui_fields: ClassVar[UiFields] = LOOP

    batch_size: int = Field(10, ge=1, description="How many items each round gets.")


FIRST = "firstRun"
NEXT = "nextItem"
"""In the node's memory: the index of the run whose input is handed out, and of the item to go on with. The other keys
are what expressions ask for: noItemsLeft, done, currentRunIndex, maxRunIndex."""


def paired_with(item: Item, index: int, run: int, present: int) -> Item:
    """The item again, paired with its place in the input of a run of this node. present: the run that hands it out."""
    passed = passed_on(item, index)
    return passed if run == present else repaired(passed, pair_of_run(index, run))


def number(memory: MutableMapping[str, Json], key: str) -> int | None:
    """A count in the node's memory; None when there is none."""
    value = memory.get(key)
    return value if isinstance(value, int) else None


class LoopNode:
    """Outputs: version 1 the batch alone, version 2 loop and done, version 3 done and loop. When all is handed out,
    version 1 ends its branch without a run that anybody sees."""

    kind = "splitInBatches"
    versions: Sequence[float] = (1, 2, 3)
    description = NodeDescription(
        "Loop Over Items (Split in Batches)", "Hands out items batch by batch.", "flow", outputs=("done", "loop")
    )
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return LegacyLoop if version is not None and version < 3 else Loop

    def outputs(self, node: Node) -> int:
        return 1 if node.version is not None and node.version < 2 else 2

    async def execute(self, run: NodeRun) -> NodeResult:
        given: Loop = await run.resolve_first()
        batch = await self._batch(run, given)
        version = run.node.version
        if version is not None and version < 2:
            return [batch] if batch else []
        done = [] if batch else await self._collected(run)
        outputs: Outputs = [done, batch]
        return outputs if version is None or version >= 3 else outputs[::-1]

    async def _batch(self, run: NodeRun, given: Loop) -> Items:
        """The next items; none when all were handed out."""
        memory, present = run.context, run.run_index
        first = None if given.options.reset else number(memory, FIRST)
        if first is None:
            first = present
            memory.update({FIRST: present, NEXT: 0, "currentRunIndex": 0})
            memory["maxRunIndex"] = -(-len(run.items) // given.batch_size)
        else:
            memory["currentRunIndex"] = (number(memory, "currentRunIndex") or 0) + 1
        items, start = run.items_of_run(first), number(memory, NEXT) or 0
        batch: Items = []
        async for place, item in each(items[start : start + given.batch_size]):
            batch.append(paired_with(item, start + place, first, present))
        memory[NEXT] = start + len(batch)
        memory["noItemsLeft"] = start + len(batch) >= len(items)
        memory["done"] = not batch
        return batch

    async def _collected(self, run: NodeRun) -> Items:
        """Everything that came back since the first run."""
        present = run.run_index
        back = [
            (item, index, earlier)
            for earlier in range((number(run.context, FIRST) or 0) + 1, present + 1)
            for index, item in enumerate(run.items_of_run(earlier))
        ]
        return [paired_with(item, index, earlier, present) async for _, (item, index, earlier) in each(back)]


def node(context: PluginContext) -> LoopNode:
    return LoopNode()
