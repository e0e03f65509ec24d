"""Wait: the execution rests for a time or until a moment; it survives a restart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, Suspend
from jackfield.api.workflows import Node
from jackfield_nodes.items import pass_all
from jackfield_nodes.parameters import Parameters
from jackfield_nodes.values import to_time
from jackfield_nodes.zones import zone_of

UNITS_MS = {"milliseconds": 1, "seconds": 1000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
LONGEST_MS = 100 * 366 * 86_400_000


class Wait(Parameters):
    """Version 1.1."""

    resume: Literal["timeInterval", "specificTime", "webhook", "form"] = Field(
        "timeInterval", description="What ends the wait."
    )
    amount: float = Field(5, ge=0, description="How long, in units.")
    unit: Literal["milliseconds", "seconds", "minutes", "hours", "days"] = Field(
        "seconds", description="Of the amount."
    )
    date_time: object = Field(None, description="ISO 8601; without an offset in the workflow's time zone.")


class FirstWait(Wait):
    """Version 1: one hour unless told otherwise."""

    amount: float = Field(1, ge=0, description="How long, in units.")
    unit: Literal["milliseconds", "seconds", "minutes", "hours", "days"] = Field("hours", description="Of the amount.")


class UnversionedWait(Wait):
    """Without typeVersion: one second unless told otherwise."""

    amount: float = Field(1, ge=0, description="How long, in units.")


def resume_time(parameters: Wait, now_ms: int, zone: tzinfo) -> int:
    """Unix milliseconds of the end of the wait. Raises `NodeError`."""
    if parameters.resume == "timeInterval":
        length = parameters.amount * UNITS_MS[parameters.unit]
        if not length <= LONGEST_MS:
            raise NodeError("The parameter amount is too large; a wait lasts at most 100 years.")
        return now_ms + round(length)
    if parameters.resume == "specificTime":
        try:
            return to_time(parameters.date_time, zone)
        except ValueError:
            raise NodeError("The parameter dateTime is not a date; use ISO 8601, such as 2026-01-31T12:00.") from None
    raise NodeError(f"Waiting for a {parameters.resume} is not available yet; use timeInterval or specificTime.")


class WaitNode:
    """Hands its items on later."""

    kind = "wait"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Wait", "Rests for a time or until a moment.", "flow")
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._clock = context.clock

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedWait
        return FirstWait if version < 1.1 else Wait

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        now = self._clock.now_ms()
        until = resume_time(await run.resolve_first(), now, zone_of(run))
        outputs = pass_all(run.items)
        return Suspend(until, outputs) if until > now else outputs


def node(context: PluginContext) -> WaitNode:
    return WaitNode(context)
