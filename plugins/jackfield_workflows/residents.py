"""Who is in memory: executions, and what their callers hold of them."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from jackfield_workflows.execution import Run
from jackfield_workflows.handles import Handle


class Residents:
    """`runs`: executions by id. A handle lives as long as somebody holds it, so that callers of one execution share
    it."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.changed = asyncio.Event()
        """Set when an execution leaves, or another one gets its turn."""
        self._handles: WeakValueDictionary[str, Handle] = WeakValueDictionary()

    def handle(self, execution_id: str) -> Handle:
        handle = self._handles.get(execution_id)
        if handle is None:
            handle = self._handles[execution_id] = Handle(execution_id, asyncio.get_running_loop())
        return handle

    def drop(self, run: Run) -> None:
        """The execution leaves the memory, because it is over or because the store has all of it."""
        self.runs.pop(run.id, None)
        run.disk.release()
        self.changed.set()
