"""Version 1 of Date & Time, with the patterns of moment."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Literal

from pydantic import Field

from jackfield.api.date_patterns import read_date, write_date
from jackfield.api.dates import iso, shifted, unit_of
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, Parameters
from jackfield_nodes.values import dates
from jackfield_nodes.values.paths import set_path


class LegacyDateTimeOptions(Parameters, title="LegacyOptions"):
    from_format: str = Field("", description="How the value is written, such as DD.MM.YYYY.")
    from_timezone: str = Field("", description="The zone of a value without an offset; the workflow's unless given.")
    to_timezone: str = Field("", description="The zone of the result; the workflow's unless given.")


class LegacyDateTime(Parameters):
    """Version 1."""

    action: Literal["format", "calculate"] = Field("format", description="What to do.")
    value: object = Field(None, description="The date.")
    data_property_name: str = Field("data", description="The field for the result.")
    custom: Flag = Field(False, description="Whether the pattern is one of your own.")
    to_format: str = Field(
        "", description="A pattern such as YYYY-MM-DD HH:mm; MM/DD/YYYY, and ISO 8601 for one of your own."
    )
    operation: Literal["add", "subtract"] = Field("add", description="calculate: which way.")
    duration: float = Field(0, description="How many units.")
    time_unit: str = Field("days", description="quarters, years, months, weeks, days, hours ... milliseconds.")
    options: LegacyDateTimeOptions = Field(default_factory=LegacyDateTimeOptions)


def legacy_json(parameters: LegacyDateTime, json: dict[str, Json], zone: tzinfo) -> dict[str, Json]:
    """The item's fields with the result. An empty value gives an empty result. Raises `NodeError`, ValueError."""
    made = dict(json)
    try:
        set_path(made, parameters.data_property_name, _result(parameters, zone))
    except ValueError as exc:
        raise NodeError(f"The result cannot be put into {parameters.data_property_name}: {exc}.") from None
    return made


def _result(parameters: LegacyDateTime, zone: tzinfo) -> Json:
    if parameters.value in (None, ""):
        return None if parameters.value is None else ""
    moment = _moment(parameters, zone)
    if parameters.action == "calculate":
        amount = parameters.duration if parameters.operation == "add" else -parameters.duration
        return iso(shifted(moment, amount, unit_of(parameters.time_unit)))
    target = parameters.options.to_timezone
    pattern = parameters.to_format or ("YYYY-MM-DDTHH:mm:ssZ" if parameters.custom else "MM/DD/YYYY")
    text = write_date(moment.astimezone(dates.zone_named(target) if target else zone), pattern, "moment")
    return int(text) if pattern in {"X", "x"} else text


def _moment(parameters: LegacyDateTime, zone: tzinfo) -> datetime:
    options = parameters.options
    source = dates.zone_named(options.from_timezone) if options.from_timezone else zone
    try:
        if options.from_format:
            return read_date(str(parameters.value), options.from_format, "moment", source)
        return dates.to_moment(parameters.value, source).astimezone(source)
    except ValueError as exc:
        raise NodeError(
            f"The parameter value is {exc}; use ISO 8601, or say how it is written in options.fromFormat."
        ) from None
