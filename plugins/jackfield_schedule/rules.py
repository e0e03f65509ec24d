"""From the raw parameters of a trigger node to its schedules.

Steps that divide the hour or the day are counted from its beginning, as cron does. Others, and every second, third ...
day or week, are counted from the first save of the trigger. So they are evenly spaced and need no memory. Expressions
have their values by now; see `jackfield.api.triggers.resolving`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Node
from jackfield_schedule.cron import BadExpression, Cron
from jackfield_schedule.times import EverySoOften, LocalTimes, Schedule

Findings = dict[str, str]
"""Parameter path -> what is wrong."""

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
UNITS = {"seconds": SECOND, "minutes": MINUTE, "hours": HOUR}
MOST_RULES = 100


@record
class RuleFrame:
    """The frame in which rules are read. since: Unix ms from which steps that fit no day are counted."""

    zone: tzinfo
    since: int
    findings: Findings

    def midnight(self) -> int:
        """The beginning of the day of `since`; Unix ms."""
        local = self.local()
        return int(local.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()) * 1000

    def local(self) -> datetime:
        return datetime.fromtimestamp(self.since // 1000, UTC).astimezone(self.zone)


def read(node: Node, zone: tzinfo, since: int) -> tuple[list[Schedule], Findings]:
    """The node's schedules, and what is wrong with its parameters; what is wrong has no schedule."""
    frame = RuleFrame(zone, since, {})
    found = _READERS[node.kind](node.parameters, frame)
    if not found and not frame.findings:
        frame.findings["rule"] = "The trigger has no rule that says when it is due; add one."
    return found, frame.findings


# -- scheduleTrigger


def _schedule_trigger(raw: Mapping[str, Json], frame: RuleFrame) -> list[Schedule]:
    rule = raw.get("rule", {"interval": [{}]})
    rows = rule.get("interval", [{}]) if isinstance(rule, dict) else None
    return _rows(rows, "rule.interval", frame, _interval_rule)


def _rows(
    rows: Json, place: str, frame: RuleFrame, read_row: Callable[[RuleFields], Schedule | None]
) -> list[Schedule]:
    if not isinstance(rows, list) or len(rows) > MOST_RULES:
        frame.findings[place] = f"This must be a list of at most {MOST_RULES} rules."
        return []
    found = [
        read_row(RuleFields(row if isinstance(row, dict) else {}, f"{place}[{index}].", frame))
        for index, row in enumerate(rows)
    ]
    return [each for each in found if each is not None]


class RuleFields:
    """One row of parameters."""

    def __init__(self, raw: Mapping[str, Json], place: str, frame: RuleFrame) -> None:
        self.frame = frame
        self._raw = raw
        self._place = place

    def wrong(self, name: str, message: str) -> None:
        self.frame.findings.setdefault(self._place + name, message)

    def text(self, name: str, default: str) -> str | None:
        value = self._raw.get(name, default)
        if isinstance(value, str):
            return value
        self.wrong(name, f"{name} must be a text.")
        return None

    def number(self, name: str, default: int, low: int, high: int) -> int | None:
        value = self._raw.get(name, default)
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
            value = int(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(name, f"{name} must be a whole number from {low} to {high}.")
        return None

    def weekdays(self, name: str, default: list[Json]) -> list[int] | None:
        """0 is Sunday; 7 as well."""
        value = self._raw.get(name, default)
        listed = value if isinstance(value, list) else [value]
        days = [int(day) if isinstance(day, str) and day.isdecimal() and len(day) < 3 else day for day in listed]
        if all(isinstance(day, int) and not isinstance(day, bool) and 0 <= day <= 7 for day in days):
            return sorted({day % 7 for day in days if isinstance(day, int)}) or list(range(7))
        self.wrong(name, f"{name} must be a list of weekdays, 0 (Sunday) to 6 (Saturday).")
        return None

    def cron(self, name: str, text: str | None) -> Cron | None:
        try:
            return Cron(text) if text is not None else None
        except BadExpression as exc:
            self.wrong(name, str(exc))
            return None


def _interval_rule(row: RuleFields) -> Schedule | None:
    field = row.text("field", "days")
    if field == "cronExpression":
        cron = row.cron("expression", row.text("expression", ""))
        return None if cron is None else LocalTimes(cron, row.frame.zone)
    if field is not None and field in _INTERVALS:
        return _INTERVALS[field](row)
    if field is not None:
        row.wrong("field", f"field must be one of {', '.join([*_INTERVALS, 'cronExpression'])}.")
    return None


def _seconds(row: RuleFields) -> Schedule | None:
    step = row.number("secondsInterval", 30, 1, 86_400)
    return None if step is None else EverySoOften(step * SECOND, row.frame.midnight())


def _minutes(row: RuleFields) -> Schedule | None:
    step = row.number("minutesInterval", 5, 1, 44_640)
    return None if step is None else EverySoOften(step * MINUTE, row.frame.midnight())


def _hours(row: RuleFields) -> Schedule | None:
    return _every_hours(row, "hoursInterval", 1, row.number("triggerAtMinute", 0, 0, 59))


def _every_hours(row: RuleFields, name: str, default: int, minute: int | None) -> Schedule | None:
    step = row.number(name, default, 1, 8_784)
    if step is None or minute is None:
        return None
    if 24 % step:
        return EverySoOften(step * HOUR, row.frame.midnight() + minute * MINUTE)
    return LocalTimes(Cron(f"0 {minute} {'*' if step == 1 else f'*/{step}'} * * *"), row.frame.zone)


def _days(row: RuleFields) -> Schedule | None:
    step = row.number("daysInterval", 1, 1, 1_000)
    at = _time_of_day(row)
    return (
        None if step is None or at is None else _every((step, "days"), Cron(f"{at} * * *"), row.frame, lambda day: day)
    )


def _weeks(row: RuleFields) -> Schedule | None:
    step = row.number("weeksInterval", 1, 1, 520)
    days = row.weekdays("triggerAtDay", [0])
    at = _time_of_day(row)
    if step is None or days is None or at is None:
        return None
    cron = Cron(f"{at} * * {','.join(map(str, days))}")
    return _every((step, "weeks"), cron, row.frame, lambda day: day // 7)  # day 7 of the calendar was a Sunday


def _months(row: RuleFields) -> Schedule | None:
    step = row.number("monthsInterval", 1, 1, 120)
    day = row.number("triggerAtDayOfMonth", 1, 1, 31)
    at = _time_of_day(row)
    if step is None or day is None or at is None:
        return None

    def fits(found: date) -> bool:
        return (found.year * 12 + found.month - 1) % step == 0

    return LocalTimes(Cron(f"{at} {day} * *"), row.frame.zone, None if step == 1 else fits, (step, "months"))


_INTERVALS: Mapping[str, Callable[[RuleFields], Schedule | None]] = {
    "seconds": _seconds,
    "minutes": _minutes,
    "hours": _hours,
    "days": _days,
    "weeks": _weeks,
    "months": _months,
}


def _time_of_day(row: RuleFields) -> str | None:
    """The first three fields of a cron expression."""
    hour = row.number("triggerAtHour", 0, 0, 23)
    minute = row.number("triggerAtMinute", 0, 0, 59)
    return None if hour is None or minute is None else f"0 {minute} {hour}"


def _every(steps: tuple[int, str], cron: Cron, frame: RuleFrame, count: Callable[[int], int]) -> Schedule:
    """Of the cron's dates those of every step-th day or week, from the first one after the frame's beginning on.

    count: what is counted, from the number of a day in the calendar.
    """
    step = steps[0]
    if step == 1:
        return LocalTimes(cron, frame.zone)
    local = frame.local().replace(tzinfo=None)
    first = next(cron.after(local), local + timedelta(days=1)).date()
    base = count(first.toordinal())
    return LocalTimes(cron, frame.zone, lambda day: (count(day.toordinal()) - base) % step == 0, steps)


# -- cron


def _cron_node(raw: Mapping[str, Json], frame: RuleFrame) -> list[Schedule]:
    return _cron_times(raw.get("triggerTimes", {"item": [{}]}), "triggerTimes.item", frame)


def read_cron_times(times: Json, zone: tzinfo, since: int) -> tuple[list[Schedule], Findings]:
    """`{item: [{mode, hour ...}]}`, as several nodes have it; what is wrong by the path below it."""
    frame = RuleFrame(zone, since, {})
    found = _cron_times(times, "item", frame)
    if not found and not frame.findings:
        frame.findings["item"] = "There is no rule that says when it is due; add one."
    return found, frame.findings


def _cron_times(times: Json, place: str, frame: RuleFrame) -> list[Schedule]:
    rows = times.get("item", [{}]) if isinstance(times, dict) else None
    return _rows(rows, place, frame, _cron_rule)


def _cron_rule(row: RuleFields) -> Schedule | None:
    mode = row.text("mode", "everyDay")
    if mode == "everyX":
        return _every_x(row)
    if mode == "custom":
        cron = row.cron("cronExpression", row.text("cronExpression", "* * * * * *"))
        return None if cron is None else LocalTimes(cron, row.frame.zone)
    text = _cron_text(mode, row)
    return None if text is None else LocalTimes(Cron(text), row.frame.zone)


def _cron_text(mode: str | None, row: RuleFields) -> str | None:
    if mode == "everyMinute":
        return "0 * * * * *"
    if mode not in ("everyHour", "everyDay", "everyWeek", "everyMonth"):
        if mode is not None:
            row.wrong("mode", "mode must be everyMinute, everyHour, everyDay, everyWeek, everyMonth, everyX or custom.")
        return None
    minute = row.number("minute", 0, 0, 59)
    if mode == "everyHour":
        return None if minute is None else f"0 {minute} * * * *"
    hour = row.number("hour", 14, 0, 23)
    day: object = "*"
    weekdays: list[int] | None = [0]
    if mode == "everyMonth":
        day = row.number("dayOfMonth", 1, 1, 31)
    if mode == "everyWeek":
        weekdays = row.weekdays("weekday", ["1"])
    if minute is None or hour is None or day is None or weekdays is None:
        return None
    return f"0 {minute} {hour} {day} * {','.join(map(str, weekdays)) if mode == 'everyWeek' else '*'}"


def _every_x(row: RuleFields) -> Schedule | None:
    unit = row.text("unit", "hours")
    if unit == "hours":
        return _every_hours(row, "value", 2, 0)
    if unit == "minutes":
        step = row.number("value", 2, 1, 44_640)
        return None if step is None else EverySoOften(step * MINUTE, row.frame.midnight())
    if unit is not None:
        row.wrong("unit", "unit must be minutes or hours.")
    return None


# -- interval


def _interval_node(raw: Mapping[str, Json], frame: RuleFrame) -> list[Schedule]:
    row = RuleFields(raw, "", frame)
    unit = row.text("unit", "seconds")
    step = row.number("interval", 1, 1, 31_622_400)
    if unit is not None and unit not in UNITS:
        row.wrong("unit", f"unit must be one of {', '.join(UNITS)}.")
    if unit not in UNITS or step is None:
        return []
    return [EverySoOften(step * UNITS[unit], frame.since)]


_READERS: Mapping[str, Callable[[Mapping[str, Json], RuleFrame], list[Schedule]]] = {
    "scheduleTrigger": _schedule_trigger,
    "cron": _cron_node,
    "interval": _interval_node,
}
