"""Cron expressions: five fields, or six with the seconds first. Wraps cronsim, which counts local time for us; which
moment a local time is, `times` decides."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, cast

from jackfield.api.object_references import load

if TYPE_CHECKING:
    from cronsim import CronSim

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
    "@minutely": "* * * * *",
    "@secondly": "* * * * * *",
}
LONGEST = 1_000
"""Characters of an expression."""


class BadExpression(ValueError):
    """This is no cron expression, or one that no time fits; the message says what is wrong."""


class Cron:
    """A cron expression over local times."""

    def __init__(self, expression: str) -> None:
        """Raises `BadExpression`."""
        text = expression.strip()
        text = NICKNAMES.get(text.lower(), text)
        fields = ["*" if field == "?" else field for field in text[: LONGEST + 1].split()]
        if len(text) > LONGEST or len(fields) not in (5, 6):
            raise BadExpression(
                f"'{text[:80]}' is no cron expression; give 5 fields (minute hour day month weekday), or 6 with the "
                "seconds first, such as 0 30 9 * * 1-5."
            )
        self.text = " ".join(fields)
        self.every_hour = self._check()
        """Whether it fits every hour of the days that it fits."""

    def _check(self) -> bool:
        try:
            found = _sim()(self.text, datetime(2024, 1, 1))  # noqa: DTZ001 - local time without a zone is the point
            next(found)
        except cast("type[Exception]", load("cronsim:CronSimError")) as exc:
            raise BadExpression(f"'{self.text[:80]}' is no cron expression: {str(exc).lower()}.") from None
        except (StopIteration, OverflowError):
            raise BadExpression(f"No time fits the cron expression '{self.text[:80]}'.") from None
        return len(found.hours) == 24

    def after(self, moment: datetime) -> Iterator[datetime]:
        """The local times after this one, in order. They end where nothing fits for 50 years."""
        try:
            yield from _sim()(self.text, moment)
        except OverflowError:  # beyond the year 9999
            return


def _sim() -> type[CronSim]:
    """A daemon without cron expressions does not load the library."""
    return cast("type[CronSim]", load("cronsim:CronSim"))
