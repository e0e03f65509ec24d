"""The registry of live runs: which executions are in memory, and what their callers hold of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator

from jackfield_engine.run.handles import Handles
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.shared.lease import Life
from jackfield_engine.shared.letting_go import let_go


class LiveRuns:
    """The executions that are in memory. `runs`: by id."""

    def __init__(self) -> None:
        self.runs: dict[str, LiveRun] = {}
        self.handles = Handles()
        self.changed = asyncio.Event()
        """Set when an execution leaves, or another one gets its turn."""
        self._reserved: set[str] = set()
        self._read: Counter[str] = Counter()
        self._over: set[str] = set()
        """Those of the executions that are read which have ended since."""
        self._watched: dict[str, asyncio.Future[None]] = {}

    def knows(self, execution_id: str) -> bool:
        """Whether the execution is in memory, or reserved."""
        return execution_id in self.runs or execution_id in self._reserved

    def stays(self, execution_id: str, life: Life | None) -> bool:
        """Whether it is in memory still from an earlier life than this, which it leaves in a moment."""
        run = self.runs.get(execution_id)
        return run is not None and run.disk.life is not life

    def add(self, run: LiveRun) -> None:
        self.runs[run.id] = run

    def drop(self, run: LiveRun) -> None:
        """The execution leaves the memory, because it is over or because the store has all of it."""
        self.runs.pop(run.id, None)
        run.disk.listener = None
        if run.progress.long or run.request.memory is not None:
            let_go([*run.progress.long, run.request.items])
        self.changed.set()
        if (watched := self._watched.pop(run.id, None)) is not None:
            watched.set_result(None)

    async def gone(self, execution_id: str) -> None:
        """Wait until an execution is not in memory any more."""
        if execution_id in self.runs:
            if execution_id not in self._watched:
                self._watched[execution_id] = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._watched[execution_id])

    def reserve(self, execution_id: str) -> bool:
        """Keep others from taking the execution up; False when somebody else has reserved it."""
        if execution_id in self._reserved:
            return False
        self._reserved.add(execution_id)
        return True

    def free(self, execution_id: str) -> None:
        """Others may take it up again."""
        self._reserved.discard(execution_id)

    @contextlib.contextmanager
    def reading(self, execution_id: str) -> Iterator[None]:
        """While a stored execution is read, so that it may run here: an end that is stored meanwhile counts."""
        self._read[execution_id] += 1
        try:
            yield
        finally:
            self._read[execution_id] -= 1
            if not self._read[execution_id]:
                del self._read[execution_id]
                self._over.discard(execution_id)

    def reads(self, execution_id: str) -> bool:
        """Whether somebody reads it now, so that it may run here."""
        return execution_id in self._read

    def ended(self, execution_id: str) -> None:
        """The store has the end of an execution that is not in memory."""
        if execution_id in self._read:
            self._over.add(execution_id)

    def has_ended(self, execution_id: str) -> bool:
        """Whether it has, since somebody began to read it."""
        return execution_id in self._over
