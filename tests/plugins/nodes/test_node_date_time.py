"""Date & Time: patterns, arithmetic over calendars and clock changes, both versions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.date_patterns import read_date, write_date
from jackfield.api.dates import floored, shifted
from jackfield.api.nodes import NodeError
from jackfield_nodes.values.dates import between, duration_text, to_moment, zone_named

BERLIN = ZoneInfo("Europe/Berlin")
MOMENT = datetime(2024, 1, 31, 15, 4, 5, 678_000, tzinfo=BERLIN)


@pytest.fixture
def daemon_in_berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dates without an offset are in the zone of the daemon's process."""
    monkeypatch.setenv("TZ", "Europe/Berlin")


async def made(bench: Bench, parameters: dict[str, Any], zone: str | None = None, version: float = 2) -> Any:
    ((json,),) = await bench.json("dateTime", version, parameters, timezone=zone)
    (value,) = json.values()
    return value


async def test_the_current_date_is_the_clocks_in_the_workflows_zone(bench: Bench) -> None:
    assert await bench.json("dateTime", 2, {}) == [[{"currentDate": "2026-01-01T00:00:00.000Z"}]]
    assert await made(bench, {}, "Asia/Tokyo") == "2026-01-01T09:00:00.000+09:00"
    assert await made(bench, {"includeTime": False}, "America/New_York") == "2025-12-31T00:00:00.000-05:00"
    assert await made(bench, {"options": {"timezone": "Europe/Berlin"}}) == "2026-01-01T01:00:00.000+01:00"


async def test_the_result_stands_alone_unless_the_fields_are_kept(bench: Bench) -> None:
    given = items({"a": 1})
    assert await bench.json("dateTime", 2, {"outputFieldName": "x"}, given) == [[{"x": "2026-01-01T00:00:00.000Z"}]]
    kept = {"outputFieldName": "x", "options": {"includeInputFields": True}}
    assert await bench.json("dateTime", 2, kept, given) == [[{"a": 1, "x": "2026-01-01T00:00:00.000Z"}]]


ADDED: list[tuple[str, str, float, str, str]] = [
    ("addToDate", "2024-01-31", 1, "months", "2024-02-29T00:00:00.000+01:00"),
    ("addToDate", "2024-02-29", 1, "years", "2025-02-28T00:00:00.000+01:00"),
    ("subtractFromDate", "2024-03-31", 1, "months", "2024-02-29T00:00:00.000+01:00"),
    ("addToDate", "2024-01-31", 1, "quarters", "2024-04-30T00:00:00.000+02:00"),
    # over the clock change of 31 March a day keeps the time of day, and 24 hours do not
    ("addToDate", "2024-03-30T12:00", 1, "days", "2024-03-31T12:00:00.000+02:00"),
    ("addToDate", "2024-03-30T12:00", 24, "hours", "2024-03-31T13:00:00.000+02:00"),
    # 02:30 does not exist on that day
    ("addToDate", "2024-03-30T02:30", 1, "days", "2024-03-31T03:30:00.000+02:00"),
    ("addToDate", "2024-01-01", 1.5, "days", "2024-01-02T12:00:00.000+01:00"),
    ("addToDate", "2024-01-01T00:00:00Z", -90, "minutes", "2023-12-31T23:30:00.000+01:00"),
]


@pytest.mark.usefixtures("daemon_in_berlin")
@pytest.mark.parametrize(("operation", "date", "amount", "unit", "expected"), ADDED)
async def test_adding(bench: Bench, operation: str, date: str, amount: float, unit: str, expected: str) -> None:
    parameters = {"operation": operation, "magnitude": date, "duration": amount, "timeUnit": unit}
    assert await made(bench, parameters, "Europe/Berlin") == expected


async def test_a_date_too_far_away_is_an_error(bench: Bench) -> None:
    for unit in ("years", "months", "days", "hours"):
        parameters = {"operation": "addToDate", "magnitude": "2024-01-01", "duration": 1e12, "timeUnit": unit}
        with pytest.raises(NodeError, match="so far away"):
            await made(bench, parameters)


ROUNDED = [
    ({"mode": "roundDown", "toNearest": "week"}, "2024-01-29T00:00:00.000Z"),  # weeks begin on Monday
    ({"toNearest": "month"}, "2024-01-01T00:00:00.000Z"),
    ({"toNearest": "hour"}, "2024-01-31T15:00:00.000Z"),
    ({"mode": "roundUp", "to": "month"}, "2024-02-01T00:00:00.000Z"),
    ({"mode": "roundUp", "to": "year"}, "2025-01-01T00:00:00.000Z"),
    ({"mode": "roundUp", "to": "minute"}, "2024-01-31T15:05:00.000Z"),
]


@pytest.mark.parametrize(("parameters", "expected"), ROUNDED)
async def test_rounding(bench: Bench, parameters: dict[str, Any], expected: str) -> None:
    assert await made(bench, {"operation": "roundDate", "date": "2024-01-31T15:04:05", **parameters}) == expected


PARTS = {"year": 2024, "month": 12, "week": 1, "day": 30, "hour": 23, "minute": 59, "second": 7}


@pytest.mark.parametrize(("part", "expected"), PARTS.items())
async def test_parts(bench: Bench, part: str, expected: int) -> None:
    parameters = {"operation": "extractDate", "date": "2024-12-30T23:59:07", "part": part}
    assert await made(bench, parameters) == expected


BETWEEN: list[tuple[list[str], Any]] = [
    (["day"], {"days": 59.5}),
    (["month", "day", "hour"], {"months": 1, "days": 30, "hours": 12}),
    (["hour"], {"hours": 1428}),
    (["years", "minutes"], {"years": 0, "minutes": 85680}),
]


@pytest.mark.parametrize(("units", "expected"), BETWEEN)
async def test_the_time_between(bench: Bench, units: list[str], expected: Any) -> None:
    """Whole numbers of each unit; the smallest has the rest."""
    dates = {"operation": "getTimeBetweenDates", "startDate": "2024-01-31", "endDate": "2024-03-30T12:00"}
    assert await made(bench, {**dates, "units": units}) == expected
    back = {**dates, "startDate": dates["endDate"], "endDate": dates["startDate"], "units": units}
    assert await made(bench, back) == {name: -value for name, value in expected.items()}


async def test_a_duration_as_text(bench: Bench) -> None:
    parameters = {
        "operation": "getTimeBetweenDates",
        "startDate": "2024-01-31",
        "endDate": "2025-03-02T01:02:03.5",
        "units": ["year", "month", "day", "hour", "minute", "second"],
        "options": {"isoString": True},
    }
    assert await made(bench, parameters) == "P1Y1M2DT1H2M3.5S"
    assert duration_text({"days": 0}) == "PT0S"


FORMATS = [
    ("yyyy-MM-dd", "2024-01-31"),
    ("MM/dd/yyyy", "01/31/2024"),
    ("EEE, dd MMM @ t", "Wed, 31 Jan @ 3:04 PM"),
    ("MMMM dd, yyyy", "January 31, 2024"),
    ("yyyy-MM-dd HH:mm:ss", "2024-01-31 15:04:05"),
    ("cccc d LLLL yy 'at' h:mm a", "Wednesday 31 January 24 at 3:04 PM"),
    ("HH 'o''clock'", "15 oclock"),
    ("SSS u ZZ Z ZZZ z", "678 678 +00:00 +0 +0000 Etc/UTC"),
    ("ooo W kkkk q", "031 5 2024 1"),
    ("DD, TT", "Jan 31, 2024, 15:04:05"),
]


@pytest.mark.parametrize(("pattern", "expected"), FORMATS)
async def test_formatting(bench: Bench, pattern: str, expected: str) -> None:
    parameters = {"operation": "formatDate", "date": "2024-01-31T15:04:05.678", "format": "custom"}
    assert await made(bench, {**parameters, "customFormat": pattern}, "Europe/Berlin") == expected


async def test_unix_time_is_a_text(bench: Bench) -> None:
    parameters = {"operation": "formatDate", "date": "2024-01-31T15:04:05.678Z"}
    assert await made(bench, {**parameters, "format": "X"}) == "1706713445"
    assert await made(bench, {**parameters, "format": "x"}) == "1706713445678"


async def test_dates_are_written_in_utc_unless_the_workflows_zone_is_asked_for(bench: Bench) -> None:
    parameters = {"operation": "formatDate", "date": "2024-01-31T15:00-05:00", "format": "custom", "customFormat": "HH"}
    assert await made(bench, parameters, "Europe/Berlin") == "20"
    assert await made(bench, {**parameters, "options": {"timezone": True}}, "Europe/Berlin") == "21"


READ: list[tuple[Any, str]] = [
    ("2024-01-31", "2024-01-30T23:00:00+00:00"),
    ("2024-01-31T12:00:00Z", "2024-01-31T12:00:00+00:00"),
    ("2024-01-31T12:00:00+09:00", "2024-01-31T03:00:00+00:00"),
    ("2024", "2023-12-31T23:00:00+00:00"),
    ("Wed, 31 Jan 2024 15:04:05 +0000", "2024-01-31T15:04:05+00:00"),
    ("Wed, 31 Jan 2024 15:04:05 GMT", "2024-01-31T15:04:05+00:00"),
    ("1/31/2024", "2024-01-30T23:00:00+00:00"),
    ("January 31, 2024 3:04 PM", "2024-01-31T14:04:00+00:00"),
    ("31 Jan 2024", "2024-01-30T23:00:00+00:00"),
    (1706713445, "2024-01-31T15:04:05+00:00"),
    (1706713445678, "2024-01-31T15:04:05.678000+00:00"),
    ("1706713445678", "2024-01-31T15:04:05.678000+00:00"),
]


@pytest.mark.parametrize(("given", "expected"), READ)
def test_reading(given: Any, expected: str) -> None:
    """A date without an offset is in the zone (here Berlin); numbers are seconds or milliseconds."""
    assert to_moment(given, BERLIN).astimezone(UTC).isoformat() == expected


WRONG: list[Any] = [
    "",
    "tomorrow",
    "2024-13-01",
    "31/31/2024",
    None,
    True,
    [],
    float("nan"),
    1e300,
    "9" * 500,
    "x" * 999,
]


@pytest.mark.parametrize("given", WRONG)
def test_what_is_no_date(given: Any) -> None:
    with pytest.raises(ValueError):
        to_moment(given, UTC)


async def test_an_error_names_the_parameter_and_the_item(bench: Bench) -> None:
    with pytest.raises(NodeError, match="parameter date is not a date; use ISO 8601") as caught:
        await made(bench, {"operation": "extractDate", "date": "nonsense"})
    assert caught.value.item == 0
    going_on = await bench.json(
        "dateTime", 2, {"operation": "extractDate", "date": "soon"}, on_error="continueRegularOutput"
    )
    assert "parameter date is not a date" in str(going_on[0][0]["error"])


PATTERNS = [
    ("31.01.2024 15:04", "dd.MM.yyyy HH:mm", "luxon", "2024-01-31T15:04:00+01:00"),
    ("Jan 5, 24 3 pm", "MMM d, yy h a", "luxon", "2024-01-05T15:00:00+01:00"),
    ("2024-031", "yyyy-ooo", "luxon", "2024-01-31T00:00:00+01:00"),
    ("2024-01-31T10:00 -0500", "yyyy-MM-dd'T'HH:mm ZZZ", "luxon", "2024-01-31T10:00:00-05:00"),
    ("January 31st 2024", "MMMM Do YYYY", "moment", "2024-01-31T00:00:00+01:00"),
    ("1706713445", "X", "moment", "2024-01-31T16:04:05+01:00"),
]


@pytest.mark.parametrize(("text", "pattern", "style", "expected"), PATTERNS)
def test_reading_by_a_pattern(text: str, pattern: str, style: str, expected: str) -> None:
    assert read_date(text, pattern, style, BERLIN).isoformat() == expected


def test_a_pattern_that_does_not_fit() -> None:
    for text, pattern in (("2024-02-30", "yyyy-MM-dd"), ("x", "yyyy"), ("5", "q"), ("2024", "y" * 2000)):
        with pytest.raises(ValueError):
            read_date(text, pattern, "luxon", UTC)


def test_a_pattern_that_would_be_searched_for_ever_is_refused() -> None:
    with pytest.raises(ValueError, match="the same part twice"):
        read_date("1" * 400 + "x", "yM" * 100, "luxon", UTC)


def moments(first: int, last: int, zone: tzinfo) -> st.SearchStrategy[datetime]:
    """Moments between the beginnings of two years."""
    naive = datetime.fromisoformat
    return st.datetimes(naive(f"{first}-01-01"), naive(f"{last}-01-01"), timezones=st.just(zone))


@given(moment=moments(1000, 9000, UTC))
def test_what_is_written_is_read_again(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    for style, pattern in (("luxon", "yyyy-MM-dd HH:mm:ss.SSS ZZ"), ("moment", "dddd D MMMM YYYY h:mm:ss.SSS A Z")):
        assert read_date(write_date(moment, pattern, style), pattern, style, BERLIN) == moment


@given(
    start=moments(1950, 2100, BERLIN),
    days=st.integers(0, 40_000),
)
def test_what_lies_between_leads_from_one_to_the_other(start: datetime, days: int) -> None:
    start = shifted(start, 0, "hour")
    end = shifted(start, days, "day")
    found = between(start, end, ["year", "month", "day"])
    # Years and months at once, as luxon adds them: a year after 29 February and then a month is another day.
    reached = shifted(start, found["years"] * 12 + found["months"], "month")
    reached = shifted(reached, found["days"], "day")
    assert abs(reached - end) < timedelta(seconds=1)
    assert floored(end, "day") <= end


def test_zones() -> None:
    assert zone_named("+05:30").utcoffset(None) == timedelta(hours=5, minutes=30)
    assert zone_named("UTC-3").utcoffset(None) == timedelta(hours=-3)
    for name in ("Nowhere/City", "../etc/passwd", ""):
        with pytest.raises(ValueError, match="unknown"):
            zone_named(name)


# Version 1


LEGACY: list[tuple[dict[str, Any], Any]] = [
    ({"value": "2024-01-31T15:04:05Z"}, "01/31/2024"),
    ({"value": "2024-01-31T15:04:05Z", "toFormat": "dddd, MMMM Do YYYY, h:mm a [UTC]Z"},
     "Wednesday, January 31st 2024, 4:04 pm UTC+01:00"),
    ({"value": "31.01.2024", "options": {"fromFormat": "DD.MM.YYYY"}, "toFormat": "YYYY-MM-DD"}, "2024-01-31"),
    ({"value": "2024-01-31T15:00", "options": {"fromTimezone": "America/New_York", "toTimezone": "Asia/Tokyo"},
      "toFormat": "YYYY-MM-DD HH:mm"}, "2024-02-01 05:00"),
    ({"value": 1706713445, "toFormat": "X"}, "1706713445"),
    ({"value": ""}, "01/01/1970"),
    ({"action": "calculate", "value": "2024-01-31", "duration": 1, "timeUnit": "months"},
     "2024-02-28T23:00:00.000Z"),
    ({"action": "calculate", "operation": "subtract", "value": "2024-01-31", "duration": 3, "timeUnit": "days"},
     "2024-01-27T23:00:00.000Z"),
]  # fmt: skip


@pytest.mark.usefixtures("daemon_in_berlin")
@pytest.mark.parametrize(("parameters", "expected"), LEGACY)
async def test_version_1(bench: Bench, parameters: dict[str, Any], expected: Any) -> None:
    given = items({"kept": 1})
    for version in (1, None):
        made = await bench.json("dateTime", version, parameters, given, timezone="Europe/Berlin")
        assert made == [[{"kept": 1, "data": expected}]]


async def test_version_1_takes_a_path_for_a_name(bench: Bench) -> None:
    parameters = {"value": "2024-01-31", "dataPropertyName": "a.b"}
    assert await bench.json("dateTime", 1, parameters) == [[{"a.b": "01/31/2024"}]]


async def test_without_a_version_the_keys_tell(bench: Bench) -> None:
    assert await bench.json("dateTime", None, {"operation": "getCurrentDate"}) == [
        [{"currentDate": "2026-01-01T00:00:00.000Z"}]
    ]
