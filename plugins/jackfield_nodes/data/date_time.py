"""Date & Time: reads, writes and computes with dates. Dates without an offset are in the workflow's time zone.

Version 1 is in `date_time_legacy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import ClassVar, Literal, Self, TypeAlias

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.date_patterns import read_date, write_date
from jackfield.api.dates import floored, iso, shifted, unit_of
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeParameters, NodeRun, Parameters, needed
from jackfield.api.nodes.items import new_item, with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items
from jackfield_nodes.data.date_time_legacy import LegacyDateTime, legacy_json
from jackfield_nodes.data.form import DATE_OPTIONS, DATE_TIME
from jackfield_nodes.values import dates
from jackfield_nodes.values.zones import daemon_zone, zone_of

Unit: TypeAlias = Literal["years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"]
Part: TypeAlias = Literal["year", "month", "week", "day", "hour", "minute", "second"]
FIELDS = {
    "getCurrentDate": "currentDate",
    "addToDate": "newDate",
    "subtractFromDate": "newDate",
    "formatDate": "formattedDate",
    "roundDate": "roundedDate",
    "getTimeBetweenDates": "timeDifference",
    "extractDate": "datePart",
}
"""Operation -> the field that it fills unless told otherwise."""


class DateTimeOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = DATE_OPTIONS

    include_input_fields: Flag = Field(False, description="Keep the item's other fields.")
    from_format: str = Field("", description="How the given date is written, such as dd.MM.yyyy.")
    timezone: object = Field(None, description="getCurrentDate: a zone; formatDate: whether to use the workflow's.")
    iso_string: Flag = Field(False, description="getTimeBetweenDates: as an ISO 8601 duration.")


class DateTimeParameters(Parameters, title="DateTime"):
    """Version 2."""

    ui_fields: ClassVar[UiFields] = DATE_TIME

    operation: Literal[
        "addToDate",
        "subtractFromDate",
        "extractDate",
        "formatDate",
        "getCurrentDate",
        "getTimeBetweenDates",
        "roundDate",
    ] = Field("getCurrentDate", description="The work that the node does.")
    magnitude: object = Field(
        None,
        description="addToDate, subtractFromDate: the date.",
        json_schema_extra=needed({"operation": ["addToDate", "subtractFromDate"]}),
    )
    time_unit: Unit = Field(
        "days",
        description="Of the duration.",
        json_schema_extra=needed({"operation": ["addToDate", "subtractFromDate"]}),
    )
    duration: float = Field(0, description="How many units.")
    date: object = Field(None, description="The date of the other operations.")
    part: Part = Field("month", description="extractDate: which part.")
    format: str = Field("MM/dd/yyyy", description="formatDate: a pattern, or `custom`.")
    custom_format: str = Field("", description="A pattern such as yyyy-MM-dd HH:mm.")
    mode: Literal["roundDown", "roundUp"] = Field("roundDown", description="Which way to round.")
    to_nearest: Part = Field("month", description="roundDown: to the beginning of this.")
    to: Part = Field("month", description="roundUp: to the beginning of the next one.")
    start_date: object = Field(None, description="getTimeBetweenDates: from.")
    end_date: object = Field(None, description="getTimeBetweenDates: to.")
    units: list[str] = Field(default_factory=lambda: ["day"], description="getTimeBetweenDates: in which units.")
    include_time: Flag = Field(True, description="getCurrentDate: with the time of day.")
    output_field_name: str | None = Field(None, description="The field for the result.")
    options: DateTimeOptions = Field(default_factory=DateTimeOptions)


class UnversionedDateTime(DateTimeParameters, title="UnversionedDateTime"):
    """A document without typeVersion: either version, told apart by its keys."""

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        legacy = isinstance(raw, dict) and ("action" in raw or "value" in raw)
        return LegacyDateTime.model_validate(raw) if legacy else handler(raw)  # type: ignore[return-value]


class Work:
    """One item of version 2."""

    def __init__(self, parameters: DateTimeParameters, zone: tzinfo, now: datetime) -> None:
        self._parameters = parameters
        self._zone = zone
        self._now = now

    def result(self) -> Json:
        """Raises `NodeError`, ValueError."""
        given = self._parameters
        match given.operation:
            case "getCurrentDate":
                return self._current()
            case "addToDate" | "subtractFromDate":
                amount = given.duration if given.operation == "addToDate" else -given.duration
                moment = self._local(given.magnitude, "magnitude")
                return iso(shifted(moment, amount, unit_of(given.time_unit)))
            case "formatDate":
                return self._formatted()
            case "roundDate":
                moment = self._local(given.date, "date")
                if given.mode == "roundUp":
                    return iso(dates.next_start(moment, given.to))
                return iso(floored(moment, given.to_nearest))
            case "extractDate":
                return dates.part_of(self._local(given.date, "date"), given.part)
        return self._between()

    def _current(self) -> Json:
        zone = self._parameters.options.timezone
        moment = self._now.astimezone(dates.zone_named(zone) if isinstance(zone, str) and zone else self._zone)
        return iso(moment if self._parameters.include_time else floored(moment, "day"))

    def _formatted(self) -> Json:
        given = self._parameters
        if given.date is None:
            return None
        moment = self._moment(given.date, "date")
        if given.options.timezone is True:
            moment = moment.astimezone(self._zone)
        elif not (isinstance(given.date, str) and "+" in given.date):
            moment = moment.astimezone(dates.zone_named("Etc/UTC"))
        pattern = given.custom_format if given.format == "custom" else given.format
        return write_date(moment, pattern, "luxon")

    def _between(self) -> Json:
        given = self._parameters
        units = [unit_of(unit) for unit in given.units]
        if not units:
            raise NodeError("The parameter units is empty; name at least one unit, such as day.")
        start, end = self._local(given.start_date, "startDate"), self._local(given.end_date, "endDate")
        found = dates.between(start, end, units)
        return dates.duration_text(found) if given.options.iso_string else dict(found)

    def _local(self, value: object, name: str) -> datetime:
        return self._moment(value, name).astimezone(self._zone)

    def _moment(self, value: object, name: str) -> datetime:
        pattern = self._parameters.options.from_format
        try:
            if pattern and isinstance(value, str | int):
                return read_date(str(value), pattern, "luxon", daemon_zone())
            return dates.to_moment(0 if value is None or value == "" else value, daemon_zone())
        except ValueError as exc:
            raise NodeError(
                f"The parameter {name} is {exc}; use ISO 8601, such as 2026-01-31T12:00, or say how it is written in "
                "options.fromFormat."
            ) from None


class DateTimeNode(ItemNode):
    kind = "dateTime"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription("Date & Time", "Reads, writes and computes with dates.", "transform")

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None:
            return UnversionedDateTime
        return LegacyDateTime if version < 2 else DateTimeParameters

    async def item(
        self, run: NodeRun, parameters: DateTimeParameters | LegacyDateTime, item: Item, index: int
    ) -> Items:
        zone = zone_of(run)
        try:
            if isinstance(parameters, LegacyDateTime):
                made = legacy_json(parameters, item["json"], zone)
                return [] if made is None else [with_json(item, made, index)]
            now = datetime.fromtimestamp(self._context.clock.now_ms() / 1000, zone)
            result = Work(parameters, zone, now).result()
        except ValueError as exc:
            raise NodeError(f"The date cannot be computed: {exc}.") from None
        name = parameters.output_field_name or FIELDS[parameters.operation]
        if parameters.options.include_input_fields:
            return [with_json(item, {**item["json"], name: result}, index)]
        return [new_item({name: result}, index)]


def node(context: PluginContext) -> DateTimeNode:
    return DateTimeNode(context)
