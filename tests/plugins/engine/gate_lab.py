"""Executions that stand still until a test lets them go on, and what the store holds of them."""

from __future__ import annotations

import asyncio
from typing import Any

from engine_lab import Lab, doc

from jackfield.api.nodes import NodeRun
from jackfield.api.storage import ExecutionFilter, ExecutionRow
from jackfield.api.workflows import Outputs
from jackfield_engine.engine import EmbeddedEngine


class Gate:
    """Holds nodes of the kind `gate` until it opens."""

    def __init__(self, lab: Lab) -> None:
        self.open = asyncio.Event()
        self.inside = 0
        self.most = 0
        lab.kind("gate", self._pass)

    async def _pass(self, run: NodeRun) -> Outputs:
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await self.open.wait()
        finally:
            self.inside -= 1
        return [run.items]


GATED = doc(("Start", "webhook"), ("Gate", "gate"), ("After", "pass"))


async def rows(lab: Lab, **where: Any) -> list[ExecutionRow]:
    page = await lab.store.executions(ExecutionFilter(**where), offset=0, limit=1000)
    return list(page.rows)


def waits(lab: Lab, seconds: int) -> Any:
    resume = lab.clock.now_ms() + seconds * 1000
    return doc(("Start", "webhook"), ("Wait", "wait", {"parameters": {"until": resume}}), ("After", "pass"))


def stop(engine: EmbeddedEngine) -> None:
    engine.services.timers.close()
    if engine._waiting._poller is not None:
        engine._waiting._poller.cancel()


async def a_parent(lab: Lab, child: Any) -> Any:
    saved = await lab.save(child)
    return await lab.save(
        doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": saved.id}}), ("After", "pass"))
    )
