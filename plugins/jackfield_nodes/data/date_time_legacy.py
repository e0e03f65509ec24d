"""Version 1 of Date & Time, with the patterns of moment."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, tzinfo
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.date_patterns import read_date, write_date
from jackfield.api.dates import iso, shifted, unit_of
from jackfield.api.javascript import UNDEFINED
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.data.form import LEGACY_DATE_OPTIONS, LEGACY_DATE_TIME
from jackfield_nodes.values import dates
from jackfield_nodes.values.zones import daemon_zone


class LegacyDateTimeOptions(Parameters, title="LegacyOptions"):
    ui_fields: ClassVar[UiFields] = LEGACY_DATE_OPTIONS

    from_format: str = Field("", description="How the value is written, such as DD.MM.YYYY.")
    from_timezone: str = Field("", description="The zone of a value without an offset; the workflow's unless given.")
    to_timezone: str = Field("", description="The zone of the result; the workflow's unless given.")


class LegacyDateTime(Parameters):
    """Version 1."""

    ui_fields: ClassVar[UiFields] = LEGACY_DATE_TIME

    @classmethod
    def undefined(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return ("value",)

    action: Literal["format", "calculate"] = Field("format", description="The work that the node does.")
    value: object = Field(None, description="The date.", json_schema_extra=needed())
    data_property_name: str = Field("data", description="The field for the result.", json_schema_extra=needed())
    custom: Flag = Field(False, description="Whether the pattern is one of your own.")
    to_format: str = Field(
        "", description="A pattern such as YYYY-MM-DD HH:mm; MM/DD/YYYY, and ISO 8601 for one of your own."
    )
    operation: Literal["add", "subtract"] = Field(
        "add", description="calculate: which way.", json_schema_extra=needed({"action": ["calculate"]})
    )
    duration: float = Field(0, description="How many units.")
    time_unit: str = Field(
        "days",
        description="quarters, years, months, weeks, days, hours ... milliseconds.",
        json_schema_extra=needed({"action": ["calculate"]}),
    )
    options: LegacyDateTimeOptions = Field(default_factory=LegacyDateTimeOptions)


def legacy_json(parameters: LegacyDateTime, json: dict[str, Json], zone: tzinfo) -> dict[str, Json] | None:
    """The item's fields with the result, which may have a dotted name; None where a date to write is missing. Raises
    `NodeError`, ValueError."""
    calculates = parameters.action == "calculate"
    if parameters.value is UNDEFINED and not calculates:
        return None
    result = _calculated(parameters) if calculates else _written(parameters, zone)
    return {**json, parameters.data_property_name: result}


def _calculated(parameters: LegacyDateTime) -> Json:
    """In the daemon's zone, written in UTC."""
    value = parameters.value
    if isinstance(value, str) and (not value or value.isdigit()):
        raise NodeError(
            "The parameter value is not a date; use ISO 8601, or say how it is written in options.fromFormat."
        )
    milliseconds = isinstance(value, int | float) and not isinstance(value, bool)
    zone = daemon_zone()
    moment = datetime.fromtimestamp(float(value) / 1000, zone) if milliseconds else _moment(parameters, zone)  # type: ignore[arg-type]
    amount = parameters.duration if parameters.operation == "add" else -parameters.duration
    return iso(shifted(moment, amount, unit_of(parameters.time_unit)).astimezone(UTC))


def _written(parameters: LegacyDateTime, zone: tzinfo) -> Json:
    """In the zones of the options, else in the daemon's. zone: the workflow's."""
    options = parameters.options
    named = bool(options.from_timezone or options.to_timezone)
    source = (dates.zone_named(options.from_timezone) if options.from_timezone else zone) if named else daemon_zone()
    target = dates.zone_named(options.to_timezone) if options.to_timezone else zone if named else source
    pattern = parameters.to_format or ("YYYY-MM-DDTHH:mm:ssZ" if parameters.custom else "MM/DD/YYYY")
    return write_date(_moment(parameters, source).astimezone(target), pattern, "moment")


def _moment(parameters: LegacyDateTime, source: tzinfo) -> datetime:
    value = 0 if parameters.value is None or parameters.value == "" else parameters.value
    pattern = parameters.options.from_format
    try:
        if pattern and isinstance(value, str):
            return read_date(value, pattern, "moment", source)
        return dates.to_moment(value, source).astimezone(source)
    except ValueError as exc:
        raise NodeError(
            f"The parameter value is {exc}; use ISO 8601, or say how it is written in options.fromFormat."
        ) from None
