"""Schedules as a sentence that a reader takes in at once: `Every weekday at 09:00 (Europe/Berlin)`.

A cron expression whose fields say more than a sentence holds is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jackfield.api.records import record
from jackfield.api.sentences import listed
from jackfield_schedule.times import EverySoOften, LocalTimes, Schedule

MOST = 3
"""Rules that the words name; of the others they give only the number."""
_UNITS = ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1000, "second"))
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_SHORT_DAYS = tuple(day[:3].upper() for day in _DAYS)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SHORT_MONTHS = tuple(month[:3].upper() for month in _MONTHS)
_WEEKDAYS, _WEEKEND, _ALL_DAYS = (1, 2, 3, 4, 5), (0, 6), (0, 1, 2, 3, 4, 5, 6)
_MOST_TIMES = 4
"""Times of a day that are listed."""


def sentence(schedules: Sequence[Schedule], zone: str) -> str:
    """Of one trigger; empty without schedules. zone: the time zone's name, shown where a time of day is."""
    told = [_rule(schedule) for schedule in schedules[:MOST]]
    if not told:
        return ""
    if len(schedules) > MOST:
        told.append(f"by {len(schedules) - MOST} more rules" if len(schedules) > MOST + 1 else "by another rule")
    first, *others = told
    text = listed([first, *(other[0].lower() + other[1:] for other in others)])
    clock = any(isinstance(schedule, LocalTimes) for schedule in schedules)
    return f"{text} ({zone})" if clock else text


def _rule(schedule: Schedule) -> str:
    if isinstance(schedule, EverySoOften):
        size, unit = next((size, unit) for size, unit in _UNITS if schedule.step % size == 0 or size == 1000)
        return _every(schedule.step // size, unit)
    if isinstance(schedule, LocalTimes):
        return _cron(schedule.cron.text, *schedule.steps)
    return "At times of its own"


def _every(count: int, unit: str) -> str:
    return f"Every {unit}" if count == 1 else f"Every {count} {unit}s"


@record
class _Fields:
    """Of a cron expression: the times of a day, and the days that it names."""

    second: str
    minute: str
    hour: str
    day: str
    month: str
    weekday: str


def _cron(text: str, step: int, unit: str) -> str:
    """step, unit: of its dates only every step-th day, week or month counts."""
    parts = text.split()
    fields = _Fields(*(parts if len(parts) == 6 else ["0", *parts]))
    times, dates = _times(fields), _dates(fields, step, unit)
    if times is None or dates is None:
        return f"At the times of the cron expression {text}"
    if dates == "every day" and times.startswith("every"):
        return times[0].upper() + times[1:]
    if times.startswith("every"):
        return f"{times[0].upper()}{times[1:]}, {dates}"
    return f"{dates[0].upper()}{dates[1:]} {times}"


def _times(fields: _Fields) -> str | None:
    """`at 09:00`, `every 5 minutes`; None: too much for a sentence."""
    second, minute, hour = (_number(field) for field in (fields.second, fields.minute, fields.hour))
    if fields.minute == fields.hour == "*":
        step = _step(fields.second, 60)
        if step is not None and fields.second != "0":
            return _every(step, "second").lower()
        return "every minute" if second is not None else None
    if second != 0:
        return None
    step = _step(fields.minute, 60)
    if fields.hour == "*" and step is not None:
        return _every(step, "minute").lower()
    if minute is None:
        return None
    if hour is None:
        return _hours(fields.hour, minute)
    return f"at {hour:02}:{minute:02}"


def _hours(field: str, minute: int) -> str | None:
    step, span = _step(field, 24), re.fullmatch(r"(\d+)-(\d+)", field)
    past = f" at minute {minute}" if minute else ""
    if step is not None:
        return _every(step, "hour").lower() + past
    if span:
        return f"every hour from {int(span[1]):02}:{minute:02} to {int(span[2]):02}:{minute:02}"
    hours = _numbers(field)
    if hours is None or len(hours) > _MOST_TIMES:
        return None
    return "at " + listed([f"{hour:02}:{minute:02}" for hour in sorted(set(hours))])


def _dates(fields: _Fields, step: int, unit: str) -> str | None:
    """`every weekday`, `on 1 and 15 of every month`; None: too much for a sentence."""
    weekdays, days = _listed(fields.weekday, _SHORT_DAYS, 0), _numbers(fields.day)
    months = _listed(fields.month, _SHORT_MONTHS, 1)
    if fields.month != "*" and months is None:
        return None
    named = sorted(set(months or ()))
    year = " in " + listed([_MONTHS[month - 1] for month in named]) if 0 < len(named) < len(_MONTHS) else ""
    if fields.day == "*" and fields.weekday == "*":
        return (f"every {step} days" if step > 1 else "every day") + year
    if fields.day == "*":
        return None if weekdays is None else _named(weekdays, step) + year
    if fields.weekday != "*":
        return None
    often = f"every {step} {unit}" if step > 1 else "every month"
    whole = year or f" of {often}"
    if fields.day == "L":
        return f"on the last day{whole}"
    if days is None:
        return None
    return f"on day {listed([str(day) for day in sorted(set(days))])}{whole}"


def _named(weekdays: Sequence[int], step: int) -> str:
    days = tuple(sorted({day % 7 for day in weekdays}))
    names = {_ALL_DAYS: "day", _WEEKDAYS: "weekday", _WEEKEND: "Saturday and Sunday"}
    week = sorted(days, key=lambda day: (day + 6) % 7)
    name = names.get(days) or listed([_DAYS[day] for day in week])
    if step == 1:
        return f"every {name}"
    return f"every {step} weeks on {f'every {name}' if days in (_ALL_DAYS, _WEEKDAYS) else name}"


def _listed(field: str, names: Sequence[str], first: int) -> list[int] | None:
    """Numbers of a list of numbers, names and spans; None for anything else."""
    known: Mapping[str, int] = {name: index + first for index, name in enumerate(names)}
    found: list[int] = []
    for part in field.upper().split(","):
        ends = [known.get(end, _number(end)) for end in part.split("-")]
        low, high = ends[0], ends[-1]
        if len(ends) > 2 or low is None or high is None or high < low or high > 31:
            return None
        found += range(low, high + 1)
    return found


def _numbers(field: str) -> list[int] | None:
    found = [_number(part) for part in field.split(",")]
    return [number for number in found if number is not None] if None not in found else None


def _number(field: str) -> int | None:
    return int(field) if re.fullmatch(r"[0-9]{1,2}", field) else None


def _step(field: str, whole: int) -> int | None:
    """Of `*` and `*/5`; None for steps that are not even, as each `whole` begins anew: `*/45` is at 0 and at 45."""
    found = re.fullmatch(r"\*(?:/([1-9][0-9]?))?", field)
    step = 0 if found is None else int(found[1] or 1)
    return step if step and whole % step == 0 else None
