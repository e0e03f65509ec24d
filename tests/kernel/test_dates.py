"""Calendar arithmetic where clocks change and with broken amounts, as luxon has it."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from jackfield.api.date_patterns import is_plain, write_date
from jackfield.api.dates import floored, iana_zone, iso, moved, unit_of

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    """A moment in the zone, of a text with its offset."""
    return datetime.fromisoformat(text).astimezone(zone)


@pytest.mark.parametrize(
    ("start", "amounts", "expected"),
    [
        ("2026-10-24T02:30+02:00", {"day": 1}, "2026-10-25T02:30:00.000+02:00"),  # the hour comes twice
        ("2026-10-26T02:30+01:00", {"day": -1}, "2026-10-25T02:30:00.000+01:00"),
        ("2026-10-25T02:30+02:00", {"hour": 1}, "2026-10-25T02:30:00.000+01:00"),
        ("2026-03-28T02:30+01:00", {"day": 1}, "2026-03-29T03:30:00.000+02:00"),  # the hour is left out
        ("2026-01-31T12:00+01:00", {"month": 1, "day": 1}, "2026-03-01T12:00:00.000+01:00"),
        ("2026-01-01T00:00+01:00", {"year": 0.5}, "2026-07-02T13:00:00.000+02:00"),
        ("2026-01-01T00:00+01:00", {"quarter": -0.5, "hour": 12}, "2025-11-17T00:00:00.000+01:00"),
        ("2026-01-01T00:00+01:00", {}, "2026-01-01T00:00:00.000+01:00"),
    ],
)
def test_moving(start: str, amounts: dict[str, float], expected: str) -> None:
    assert iso(moved(at(start), amounts)) == expected


def test_the_beginning_of_an_hour_that_comes_twice_keeps_its_offset() -> None:
    for text in ("2026-10-25T02:00:00.000+02:00", "2026-10-25T02:00:00.000+01:00"):
        assert iso(floored(at(text.replace("02:00:00", "02:45:00", 1)), "hour")) == text
    assert iso(floored(at("2026-08-20T10:00+02:00"), "quarter")) == "2026-07-01T00:00:00.000+02:00"
    assert iso(floored(at("2026-08-20T10:00+02:00"), "week")) == "2026-08-17T00:00:00.000+02:00"


def test_which_zones_print_as_z() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    assert iso(moment) == iso(moment.astimezone(iana_zone("UTC"))) == "2026-01-01T00:00:00.000Z"
    assert iso(moment.astimezone(iana_zone("Etc/UTC"))) == "2026-01-01T00:00:00.000+00:00"


def test_what_does_not_exist() -> None:
    for wrong in ("Nowhere/City", "../etc/passwd", ""):
        with pytest.raises(ValueError, match="unknown"):
            iana_zone(wrong)
    with pytest.raises(ValueError, match="no unit of time"):
        unit_of("fortnight")
    with pytest.raises(ValueError, match="so far away"):
        moved(at("2026-01-01T00:00+01:00"), {"year": 10_000})


def test_patterns_of_luxon() -> None:
    moment = at("2026-01-05T15:04+01:00")
    assert write_date(moment, "yyyy'at'''' 'HH 'open", "luxon") == "2026at' 15 open"
    assert is_plain("dd LLL yyyy 't' ZZ")
    assert not any(map(is_plain, ("DD", "t", "ZZZZ", "kk")))
