"""Wait: the execution rests for a time, until a moment, or until a call or a form comes; it survives a restart.

The call or the form becomes the node's output. The server of the calls reads the node's authentication from the
document, so that no secret gets into the execution. It gets the other parameters with expressions resolved. At the time
limit the items go on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import tzinfo
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    Parameters,
    Suspend,
    needed,
)
from jackfield.api.nodes.items import pass_all
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Node
from jackfield_nodes.flow.form import WAIT
from jackfield_nodes.values.conversions import to_time
from jackfield_nodes.values.fixed import unfit_numbers
from jackfield_nodes.values.zones import zone_of

UNITS_MS = {"milliseconds": 1, "seconds": 1000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
AUTHENTICATION_SECRETS = ("headerValue", "password", "secret", "hmacSecret", "jwtSecret")
LONGEST_MS = 100 * 366 * 86_400_000


class WaitParameters(Parameters, title="Wait"):
    """Version 1.1."""

    ui_fields: ClassVar[UiFields] = WAIT

    resume: Literal["timeInterval", "specificTime", "webhook", "form"] = Field(
        "timeInterval", description="The end of the wait."
    )
    amount: float = Field(5, ge=0, description="How long, in units.")
    unit: Literal["milliseconds", "seconds", "minutes", "hours", "days"] = Field(
        "seconds", description="Of the amount."
    )
    date_time: object = Field(
        None,
        description="ISO 8601; without an offset in the workflow's time zone.",
        json_schema_extra=needed({"resume": ["specificTime"]}),
    )
    limit_wait_time: bool = Field(False, description="Of a wait for a call: whether the items go on after a time.")
    limit_type: Literal["afterTimeInterval", "atSpecifiedTime"] = Field(
        "afterTimeInterval", description="The kind of the limit."
    )
    resume_amount: float = Field(1, ge=0, description="The limit, in units.")
    resume_unit: Literal["seconds", "minutes", "hours", "days"] = Field("hours", description="Of the limit.")
    max_date_and_time: object = Field(None, description="The limit as ISO 8601.")

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        waits = parameters.get("resume", "timeInterval") == "timeInterval"
        return {**super().obstacles(parameters), **unfit_numbers(parameters, ["amount"] if waits else [])}

    @classmethod
    def secret_paths(cls) -> Collection[str]:
        """A call that ends the wait is authenticated as a Webhook node's."""
        return [prefix + name for prefix in ("authConfig.", "") for name in AUTHENTICATION_SECRETS]


class FirstWait(WaitParameters):
    """Version 1: one hour unless told otherwise."""

    amount: float = Field(1, ge=0, description="How long, in units.")
    unit: Literal["milliseconds", "seconds", "minutes", "hours", "days"] = Field("hours", description="Of the amount.")


class UnversionedWait(WaitParameters):
    """Without typeVersion: one second unless told otherwise."""

    amount: float = Field(1, ge=0, description="How long, in units.")


def resume_time(parameters: WaitParameters, now_ms: int, zone: tzinfo) -> int:
    """Unix milliseconds of the end of the wait. Raises `NodeError`."""
    if parameters.resume == "timeInterval":
        return now_ms + _length("amount", parameters.amount, parameters.unit)
    return _moment("dateTime", parameters.date_time, zone)


def time_limit(parameters: WaitParameters, now_ms: int, zone: tzinfo) -> int | None:
    """Until when a call is waited for; None: without end. Raises `NodeError`."""
    if not parameters.limit_wait_time:
        return None
    if parameters.limit_type == "afterTimeInterval":
        return now_ms + _length("resumeAmount", parameters.resume_amount, parameters.resume_unit)
    return _moment("maxDateAndTime", parameters.max_date_and_time, zone)


def _length(name: str, amount: float, unit: str) -> int:
    length = amount * UNITS_MS[unit]
    if not length <= LONGEST_MS:
        raise NodeError(f"The parameter {name} is too large; a wait lasts at most 100 years.")
    return round(length)


def _moment(name: str, value: object, zone: tzinfo) -> int:
    try:
        return to_time(value, zone)
    except ValueError:
        raise NodeError(f"The parameter {name} is not a date; use ISO 8601, such as 2026-01-31T12:00.") from None


CALL_FIELDS = {
    "webhook": (
        *("httpMethod", "webhookSuffix", "responseMode", "responseData", "responseCode", "responseBinaryPropertyName"),
        "options",
    ),
    "form": ("formTitle", "formDescription", "formFields", "defineForm", "jsonOutput", "responseMode", "options"),
}
"""The parameters of the node that a call knows, by kind of call."""


def awaited(parameters: WaitParameters) -> dict[str, Json]:
    """See `Suspend.call`."""
    values: dict[str, Json] = parameters.model_dump(mode="json", by_alias=True)
    told: dict[str, Json] = {name: values[name] for name in CALL_FIELDS[parameters.resume] if name in values}
    return {"kind": parameters.resume, "parameters": told}


class WaitNode:
    """Hands its items on later."""

    kind = "wait"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription(
        "Wait", "Rests for a time, until a moment, a call or a form.", "flow", help="forms#waits-for-calls"
    )
    effect = False

    def __init__(self, context: PluginContext) -> None:
        self._clock = context.clock

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedWait
        return FirstWait if version < 1.1 else WaitParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: WaitParameters = await run.resolve_first()
        now = self._clock.now_ms()
        zone = zone_of(run)
        outputs = pass_all(run.items)
        if parameters.resume in CALL_FIELDS:
            return Suspend(time_limit(parameters, now, zone), outputs, awaited(parameters))
        until = resume_time(parameters, now, zone)
        return Suspend(until, outputs) if until > now else outputs


def node(context: PluginContext) -> WaitNode:
    return WaitNode(context)
