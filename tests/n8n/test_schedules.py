"""Expressions of a Schedule Trigger beside n8n's own node: both are due at the same times, or both refuse.

n8n starts at a second of its own choice within the minute, which is not compared.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import pytest

from jackfield.api.context import PluginContext
from jackfield.api.triggers.resolving import resolved
from jackfield.api.workflows import Node, Workflow, WorkflowSettings
from jackfield.core.building import build
from jackfield_schedule.cron import Cron
from jackfield_schedule.rules import read
from jackfield_schedule.times import LocalTimes, Schedule, first_after

from . import installing

SCRIPT = Path(__file__).with_name("schedules.js")
ZONE = "Asia/Tokyo"
SECONDS = 60
BEGIN = int(datetime(2026, 3, 2, tzinfo=ZoneInfo(ZONE)).timestamp()) * 1000
Rule: TypeAlias = dict[str, Any]
RULES: list[Rule] = [
    {"field": "hours", "hoursInterval": "={{ 3 + 1 }}", "triggerAtMinute": "={{ '7' }}"},
    {"field": "={{ 'da' + 'ys' }}", "triggerAtHour": "={{ Math.max(3, 9) }}", "triggerAtMinute": 5},
    {"field": "={{ 1 ? 'weeks' : '' }}", "triggerAtDay": "={{ [1, 3] }}", "triggerAtHour": 4, "triggerAtMinute": 5},
    {"field": "weeks", "triggerAtDay": ["={{ 2 }}"], "triggerAtHour": "={{ 2 * 2 }}", "triggerAtMinute": 0},
    {"field": "months", "triggerAtDayOfMonth": "={{ 5 }}", "triggerAtHour": 1, "triggerAtMinute": "={{ 59 }}"},
    {"field": "cronExpression", "expression": "={{ 7 }} 3 * * 1"},
    {"field": "cronExpression", "expression": "=7 3 * * 1"},
    {"field": "cronExpression", "expression": "={{ ['0', '4', '*', '*', '1-5'].join(' ') }}"},
    {"field": "cronExpression", "expression": "={{ $now.zoneName === 'Asia/Tokyo' ? 9 : 1 }} 4 * * *"},
    {"field": "cronExpression", "expression": "={{ $workflow.name.length }} 4 * * *"},
    {"field": "cronExpression", "expression": "={{ DateTime.fromISO('2026-01-01T05:30:00').minute }} 4 * * *"},
    {"field": "cronExpression", "expression": "={{ $('Elsewhere').item.json.x }} 4 * * *"},
]  # fmt: skip


def theirs() -> list[dict[str, Any]]:
    given = json.dumps({"rules": RULES, "timezone": ZONE}).encode()
    command = [installing.node(), str(SCRIPT)]
    done = subprocess.run(
        command, cwd=installing.directory(), input=given, capture_output=True, timeout=SECONDS, check=True
    )
    return list(json.loads(done.stdout.splitlines()[-1]))


async def ours(context: PluginContext, rule: Rule) -> list[Schedule]:
    """Empty: it is refused."""
    kind = "scheduleTrigger"
    node = Node("1", "Tick", f"n8n-nodes-base.{kind}", kind, 1.2, {"rule": {"interval": [rule]}})
    workflow = Workflow(
        id="w", name="W", version=1, active=False, nodes={"Tick": node}, wires={},
        settings=WorkflowSettings(timezone=ZONE), pin_data={}, document={},
    )  # fmt: skip
    known, failures = await resolved(context, workflow, node)
    schedules, findings = read(known, ZoneInfo(ZONE), BEGIN)
    return [] if failures or findings else list(schedules)


def due(schedules: list[Schedule]) -> list[int]:
    """The first minutes from `BEGIN` on; Unix."""
    found: list[int] = []
    moment: int | None = BEGIN
    while moment is not None and len(found) < 6:
        moment = first_after(schedules, moment)
        if moment is not None:
            found.append(moment // 60_000)
    return found


def of_n8n(cron: str) -> Schedule:
    fields = cron.split()
    return LocalTimes(Cron(" ".join(["0", *fields[-5:]])), ZoneInfo(ZONE))


def test_expressions_make_the_same_times_as_in_n8n(tmp_path: Path) -> None:
    try:
        registered = theirs()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    context = build(tmp_path, {}, {}).context("schedule")

    async def read_all() -> list[list[Schedule]]:
        return [await ours(context, rule) for rule in RULES]

    for rule, expected, found in zip(RULES, registered, asyncio.run(read_all()), strict=True):
        assert due(found) == due([of_n8n(cron) for cron in expected.get("crons", ())]), (rule, expected)
    assert [bool(one.get("crons")) for one in registered] == [*([True] * 11), False]
