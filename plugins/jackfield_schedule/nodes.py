"""The node types scheduleTrigger, cron and interval.

The module `rules` reads their parameters; a run by hand starts at them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.nodes import NodeDescription, NodeParameters, Parameters
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.poll_form import CronTime
from jackfield.api.workflows import Items, Node, Workflow
from jackfield_schedule.form import CRON, INTERVAL, RULE, RULES, SCHEDULE
from jackfield_schedule.ticks import tick_item


class IntervalRule(Parameters):
    """One rule; only the fields of its kind count."""

    ui_fields: ClassVar[UiFields] = RULE
    ui_order: ClassVar[Sequence[str]] = (
        "field",
        "secondsInterval",
        "minutesInterval",
        "hoursInterval",
        "daysInterval",
        "weeksInterval",
        "monthsInterval",
        "triggerAtDay",
        "triggerAtDayOfMonth",
        "triggerAtHour",
        "triggerAtMinute",
    )

    field: str = Field(
        "days", description="seconds, minutes, hours, days, weeks, months or cronExpression: what is counted."
    )
    seconds_interval: int | str = Field(30, description="Seconds between two starts.")
    minutes_interval: int | str = Field(5, description="Minutes between two starts.")
    hours_interval: int | str = Field(1, description="Hours between two starts.")
    days_interval: int | str = Field(1, description="Days between two starts.")
    weeks_interval: int | str = Field(1, description="Weeks between two weeks with starts.")
    months_interval: int | str = Field(1, description="Months between two starts.")
    trigger_at_hour: int | str = Field(0, description="Hour of the day, 0 to 23.")
    trigger_at_minute: int | str = Field(0, description="Minute of the hour, 0 to 59.")
    trigger_at_day: list[int | str] | int | str = Field(0, description="Weekdays, 0 (Sunday) to 6.")
    trigger_at_day_of_month: int | str = Field(1, description="Day of the month, 1 to 31; months without it are left.")
    expression: str = Field("", description="Cron expression of 5 fields, or 6 with the seconds first.")


class IntervalRules(Parameters):
    ui_fields: ClassVar[UiFields] = RULES

    interval: list[IntervalRule] = Field(default_factory=lambda: [IntervalRule()])


class ScheduleParameters(Parameters):
    ui_fields: ClassVar[UiFields] = SCHEDULE

    rule: IntervalRules = Field(default_factory=IntervalRules, description="When it is due: any of the rules.")


class CronTimes(Parameters):
    item: list[CronTime] = Field(default_factory=lambda: [CronTime()])


class CronParameters(Parameters):
    ui_fields: ClassVar[UiFields] = CRON

    trigger_times: CronTimes = Field(default_factory=CronTimes, description="When it is due: any of the times.")


class IntervalParameters(Parameters):
    ui_fields: ClassVar[UiFields] = INTERVAL

    interval: int | str = Field(1, description="Units between two starts.")
    unit: str = Field("seconds", description="seconds, minutes or hours.")


class TimedNode(PassingNode):
    """A trigger whose item is made when it is due."""

    def __init__(
        self,
        context: PluginContext,
        kind: str,
        versions: Sequence[float],
        description: NodeDescription,
        model: type[NodeParameters],
    ) -> None:
        super().__init__(kind, versions, description, model)
        self._context = context

    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items:
        """See `EntryNode`."""
        if items is not None:
            return items
        zone = self._context.port(WorkflowReader).timezone(workflow)
        return [tick_item(self.kind, self._context.clock.now_ms(), zone)]


def node_types(context: PluginContext) -> Sequence[TimedNode]:
    def described_as(name: str, summary: str) -> NodeDescription:
        return NodeDescription(name, summary, "trigger", inputs=0, trigger=True, help="schedules")

    schedule = described_as("Schedule Trigger", "Starts the workflow at times of the clock and the calendar.")
    cron = described_as("Cron", "Starts the workflow at times of the clock and the calendar.")
    interval = described_as("Interval", "Starts the workflow again and again.")
    return [
        TimedNode(context, "scheduleTrigger", (1, 1.1, 1.2, 1.3), schedule, ScheduleParameters),
        TimedNode(context, "cron", (1,), cron, CronParameters),
        TimedNode(context, "interval", (1,), interval, IntervalParameters),
    ]


def node(context: PluginContext, kind: str) -> TimedNode:
    """The node of this kind."""
    return next(node for node in node_types(context) if node.kind == kind)
