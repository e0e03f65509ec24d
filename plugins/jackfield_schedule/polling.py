"""The times of polling triggers: n8n's parameter `pollTimes`, whose rows are those of the node cron."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.triggers.polling import PollTimes
from jackfield_schedule.rules import read_cron_times
from jackfield_schedule.times import Schedule, first_after
from jackfield_schedule.words import sentence
from jackfield_schedule.zones import UnknownZone, zone_named

_EVERY_MINUTE: Json = {"item": [{"mode": "everyMinute"}]}


class ScheduledPolls:
    """`PollTimes` of some schedules."""

    def __init__(self, schedules: Sequence[Schedule], zone: str) -> None:
        self._schedules = schedules
        self.text = sentence(schedules, zone)

    def after(self, moment: int) -> int | None:
        return first_after(self._schedules, moment)


class PollTimesOfSchedules:
    """`PollTimesReader`."""

    def __init__(self, context: object) -> None:
        """It needs nothing of the daemon."""

    def read(self, value: Json, timezone: str, since: int) -> tuple[PollTimes | None, Mapping[str, str]]:
        try:
            zone = zone_named(timezone)
        except UnknownZone as exc:
            return None, {"item": str(exc)}
        schedules, findings = read_cron_times(_EVERY_MINUTE if value in (None, {}) else value, zone.info, since)
        return (ScheduledPolls(schedules, zone.name) if schedules else None), findings
