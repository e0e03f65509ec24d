"""The parameter `pollTimes` of polling nodes, and its rows, which the node cron has too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from ..nodes import Parameters
from ..nodes.ui import Scalar, Ui, UiFields, Words

WEEKDAYS: Mapping[Scalar, Words] = {
    1: "Monday",
    2: "Tuesday",
    3: "Wednesday",
    4: "Thursday",
    5: "Friday",
    6: "Saturday",
    0: "Sunday",
}
_EVERY: Mapping[Scalar, Words] = {
    "everyMinute": "Every minute",
    "everyHour": "Every hour",
    "everyDay": "Every day",
    "everyWeek": "Every week",
    "everyMonth": "Every month",
    "everyX": "Every few minutes or hours",
    "custom": "Cron expression",
}
CRON_TIME: UiFields = {
    "mode": Ui(choices=_EVERY, help="How often the workflow starts."),
    "hour": Ui(when={"mode": ["everyDay", "everyWeek", "everyMonth"]}, help="The hour of the day, 0 to 23."),
    "minute": Ui(
        when={"mode": ["everyHour", "everyDay", "everyWeek", "everyMonth"]}, help="The minute of the hour, 0 to 59."
    ),
    "dayOfMonth": Ui(label="Day of the month", when={"mode": "everyMonth"}, help="1 to 31."),
    "weekday": Ui(
        when={"mode": "everyWeek"},
        choices={str(day): words for day, words in WEEKDAYS.items()},
        help="The day of the week.",
    ),
    "cronExpression": Ui(
        when={"mode": "custom"}, placeholder="0 9 * * 1-5", help="Minute, hour, day of the month, month, weekday."
    ),
    "value": Ui(when={"mode": "everyX"}, help="How many of the unit lie between two starts."),
    "unit": Ui(
        when={"mode": "everyX"}, choices={"minutes": "Minutes", "hours": "Hours"}, help="The unit of that number."
    ),
}
POLL_TIMES_FORM: UiFields = {
    "pollTimes": Ui(label="Asks", help="The service is asked at all of these times.", options={"add": "Add time"})
}


class CronTime(Parameters):
    ui_fields: ClassVar[UiFields] = CRON_TIME

    mode: str = Field(
        "everyDay", description="everyMinute, everyHour, everyDay, everyWeek, everyMonth, everyX or custom."
    )
    hour: int | str = Field(14, description="Hour of the day, 0 to 23.")
    minute: int | str = Field(0, description="Minute of the hour, 0 to 59.")
    day_of_month: int | str = Field(1, description="Day of the month, 1 to 31.")
    weekday: int | str = Field("1", description="0 (Sunday) to 6.")
    cron_expression: str = Field("* * * * * *", description="Of mode custom.")
    value: int | str = Field(2, description="Of mode everyX: the number of units.")
    unit: str = Field("hours", description="Of mode everyX: minutes or hours.")


class PollTimeRows(Parameters):
    """Of the parameter `pollTimes`."""

    item: list[CronTime] = Field(default_factory=lambda: [CronTime(mode="everyMinute")])


class PollingParameters(Parameters):
    """Base of the parameters of a node that polls. Put `**POLL_TIMES_FORM` into its `ui_fields`."""

    poll_times: PollTimeRows = Field(default_factory=PollTimeRows, description="When the service is asked.")
