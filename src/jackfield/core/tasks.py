"""Background tasks that end with the daemon."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine

from jackfield.api.containment import passes
from jackfield.api.projects import task_context

log = logging.getLogger("jackfield.tasks")

LONGEST_END = 10.0
"""Seconds for all tasks together, once they are cancelled."""


class Tasks:
    """Starts them, logs their failures, and cancels what is left."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(
            self._guard(name, coroutine), name=name, context=task_context(None)
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # One that is cancelled before its first step has never awaited it.
        task.add_done_callback(lambda _: coroutine.close())
        return task

    @staticmethod
    async def _guard(name: str, coroutine: Coroutine[object, object, None]) -> None:
        try:
            await coroutine
        except BaseException as exc:
            if passes(exc):
                raise
            log.exception("The background task %s failed.", name)

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=LONGEST_END)
        for task in left:
            log.error("The background task %s swallows its cancellation; it is left behind.", task.get_name())
