"""One run of one node, as the run loop sees it."""

from __future__ import annotations

from typing import NamedTuple

from jackfield.api.nodes import Resumed
from jackfield.api.nodes.items import NodeInputs
from jackfield.api.records import record, state
from jackfield.api.workflows import Outputs
from jackfield_engine.loop.graph import GraphStep


class ItemSource(NamedTuple):
    """Where the items of an input come from."""

    node: str
    run: int
    output: int


@state
class Task:
    """The next node to run. `sources`: per input, None when nothing reached it. `index`: how many node runs the
    execution had before. `preset`: the outputs when the node is not run at all (disabled, or its data is pinned).
    `effect`: whether it may have changed the world outside the execution. `asked`: what tells the sub-workflows apart
    that a part of the node asks for, when another time it may ask for others. `resumed`: see `NodeRun.resumed`.
    `waits`: how many waits of the run are over by then."""

    step: GraphStep
    given: NodeInputs
    sources: tuple[ItemSource | None, ...]
    index: int
    preset: Outputs | None = None
    effect: bool = False
    asked: tuple[str, ...] = ()
    resumed: Resumed | None = None
    waits: int = 0


@record
class NodeResult:
    """A node run that is over."""

    outputs: Outputs
    sources: tuple[ItemSource | None, ...]
