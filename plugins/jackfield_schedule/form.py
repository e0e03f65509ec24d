"""How the triggers by time show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.ui import Scalar, Ui, UiFields, Words
from jackfield.api.triggers.poll_form import WEEKDAYS

_HOURS: Mapping[Scalar, Words] = {hour: f"{hour:02}:00" for hour in range(24)}


def _number(label: str, field: str, help: str) -> Ui:
    return Ui("number", label=label, when={"field": field}, help=help, options={"min": 1})


RULE: UiFields = {
    "field": Ui(
        label="Every",
        choices={
            "seconds": "Some seconds",
            "minutes": "Some minutes",
            "hours": "Some hours",
            "days": "Some days",
            "weeks": "Some weeks",
            "months": "Some months",
            "cronExpression": ("Cron expression", "For all other times."),
        },
        help="The unit of the time between two starts.",
        expression=False,
    ),
    "secondsInterval": _number(
        "Seconds between starts", "seconds", "The seconds from one start of the workflow to the next."
    ),
    "minutesInterval": _number(
        "Minutes between starts", "minutes", "The minutes from one start of the workflow to the next."
    ),
    "hoursInterval": _number("Hours between starts", "hours", "The hours from one start of the workflow to the next."),
    "daysInterval": _number("Days between starts", "days", "The days from one start of the workflow to the next."),
    "weeksInterval": _number("Weeks between starts", "weeks", "The workflow starts in one of this number of weeks."),
    "monthsInterval": _number(
        "Months between starts", "months", "The workflow starts in one of this number of months."
    ),
    "triggerAtDay": Ui(
        "multiselect",
        label="Weekdays",
        when={"field": "weeks"},
        choices=WEEKDAYS,
        default=[0],
        help="The days of the week on which the workflow starts.",
    ),
    "triggerAtDayOfMonth": Ui(
        label="Day of the month",
        when={"field": "months"},
        help="1 to 31; the workflow does not start in months without that day.",
        options={"min": 1, "max": 31},
    ),
    "triggerAtHour": Ui(
        label="Hour", when={"field": ["days", "weeks", "months"]}, choices=_HOURS, help="The hour of the day."
    ),
    "triggerAtMinute": Ui(
        label="Minute",
        when={"field": ["hours", "days", "weeks", "months"]},
        help="The minute of the hour, 0 to 59.",
        options={"min": 0, "max": 59},
    ),
    "expression": Ui(
        label="Cron expression",
        when={"field": "cronExpression"},
        placeholder="0 9 * * 1-5",
        help="Minute, hour, day of the month, month, weekday; six fields begin with the second.",
    ),
}
RULES: UiFields = {"interval": Ui(label="Interval")}
SCHEDULE: UiFields = {
    "rule": Ui(
        label="Starts", help="The workflow starts whenever one of the rules says so.", options={"add": "Add rule"}
    )
}
CRON: UiFields = {
    "triggerTimes": Ui(label="Starts", help="The workflow starts at all of these times.", options={"add": "Add time"})
}
INTERVAL: UiFields = {"unit": Ui(choices={"seconds": "Seconds", "minutes": "Minutes", "hours": "Hours"})}
