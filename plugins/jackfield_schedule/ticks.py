"""The item that a trigger hands on when it is due."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Item
from jackfield_schedule.zones import zone_named


def tick_item(kind: str, moment: int, zone: str) -> Item:
    """The item that a trigger hands on when it is due. The older kinds hand on an empty item."""
    return {"json": described(moment, zone) if kind == "scheduleTrigger" else {}}


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def described(moment: int, zone: str) -> dict[str, Json]:
    """The moment in the words of the Schedule Trigger. English, whatever the daemon's locale is."""
    local = zone_named(zone).local(moment)
    offset = f"{local:%z}"
    offset = f"{offset[:3]}:{offset[3:5]}"
    clock = f"{local.hour % 12 or 12}:{local:%M:%S} {'am' if local.hour < 12 else 'pm'}"
    month = _MONTHS[local.month - 1]
    return {
        "timestamp": f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}{offset}",
        "Readable date": f"{month} {_ordinal(local.day)} {local.year}, {clock}",
        "Readable time": clock,
        "Day of week": _DAYS[local.weekday()],
        "Year": f"{local.year:04d}",
        "Month": month,
        "Day of month": f"{local.day:02d}",
        "Hour": f"{local.hour:02d}",
        "Minute": f"{local.minute:02d}",
        "Second": f"{local.second:02d}",
        "Timezone": f"{zone} (UTC{offset})",
    }


def _ordinal(number: int) -> str:
    ending = "th" if 11 <= number % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
