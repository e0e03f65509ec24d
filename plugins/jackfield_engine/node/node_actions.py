"""The acts of a node on its execution."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jackfield.api.nodes import NodeAnswer
from jackfield.api.records import record
from jackfield.api.streaming import ChunkStream
from jackfield.api.workflows import Document, Items
from jackfield_engine.loop.tasks import Task


@record
class NodeActions:
    """The acts of a node on its execution. `breathe`: lets others have the event loop, when this execution had it long
    enough. `before_effect`: returns once the execution is stored up to this node run, which may change the world from
    here on, and raises `ExecutionRefused`. The others: see `NodeRun`."""

    breathe: Callable[[], Awaitable[None]]
    before_effect: Callable[[Task], Awaitable[None]]
    run_workflow: Callable[[Task, str | Document, Items], Awaitable[Items]]
    start_workflow: Callable[[Task, str | Document, Items], Awaitable[None]]
    answer: Callable[[NodeAnswer], None]
    stream: ChunkStream | None = None
