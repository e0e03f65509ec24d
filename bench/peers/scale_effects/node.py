"""The node Effect. With `SCALE_EFFECTS` in the environment it writes a line to that file when it begins, and one when
it is over: execution, node, process, `begins` or `over`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun, NodeType
from jackfield.api.nodes.items import pass_all
from jackfield.api.nodes.running import ModelNode


class EffectParameters(NodeParameters):
    """Parameters of the Effect node, in milliseconds."""

    work: float = Field(0.0, ge=0, description="Time of the processor.")
    wait: float = Field(0.0, ge=0, description="Time in which others run.")


class EffectNode(ModelNode):
    """Hands its items on. Is checkpointed, as whatever changes the world is."""

    kind = "effect"
    versions: Sequence[float] = (1.0,)
    description = NodeDescription("Effect", "Works and waits.", "transform")
    effect = True
    model = EffectParameters

    def __init__(self) -> None:
        path = os.environ.get("SCALE_EFFECTS")
        self._notes = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600) if path else None

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: EffectParameters = await run.resolve_first()
        self._note(run, "begins")
        if parameters.wait:
            await asyncio.sleep(parameters.wait / 1000)
        if parameters.work:
            end = time.thread_time() + parameters.work / 1000
            while time.thread_time() < end:
                pass
        self._note(run, "over")
        return pass_all(run.items)

    def _note(self, run: NodeRun, moment: str) -> None:
        if self._notes is not None:
            os.write(self._notes, f"{run.execution.id} {run.node.name} {os.getpid()} {moment}\n".encode())


def nodes(context: PluginContext) -> Sequence[NodeType]:
    return [EffectNode()]
