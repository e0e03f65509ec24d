"""Schedules: the trigger that starts workflows at times, and its nodes scheduleTrigger, cron and interval."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class SchedulePlugin(Plugin):
    """Schedules: the trigger that starts workflows at times, and its nodes scheduleTrigger, cron and interval."""

    name = "schedule"
    first_process_only = True
    settings = (SettingsTable("schedule", "jackfield_schedule.settings:ScheduleSettings"),)
    provides = {"jackfield.api.triggers.polling:PollTimesReader": "jackfield_schedule.polling:PollTimesOfSchedules"}
    parts = ("jackfield_schedule.trigger:ScheduleTrigger",)

    jackfield_nodes = later("jackfield_schedule.offers:nodes")
    jackfield_triggers = later("jackfield_schedule.offers:triggers")
    start = deferred("jackfield_schedule.offers:start")
