"""Live triggers over a store in memory and a clock that the test moves: each moment starts its workflow exactly once,
whatever happens to the process, the store and the clock."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest

from jackfield.api.clock import iso
from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.errors import Conflict, NotFound, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeAnswer
from jackfield.api.storage import NewExecution, StoredWorkflow
from jackfield.api.triggers import WorkflowChange
from jackfield.api.workflows import Node, Workflow, WorkflowSettings, local_type
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_schedule.nodes import node_types
from jackfield_schedule.settings import ScheduleSettings
from jackfield_schedule.trigger import ScheduleTrigger

HOUR = 3600


@dataclass
class FakeExecution:
    id: str
    accepted: asyncio.Future[None]
    answer: asyncio.Future[NodeAnswer | None]
    finished: asyncio.Future[Outcome]
    stored: asyncio.Future[None]


@dataclass
class FakeEngine:
    """Stores what it is given. started: (node, time) of what was accepted."""

    store: MemoryStore
    clock: FakeClock
    refuse: Exception | None = None
    started: list[tuple[str, str]] = field(default_factory=list)
    requests: list[ExecutionRequest] = field(default_factory=list)

    def submit(self, request: ExecutionRequest) -> FakeExecution:
        if self.refuse is not None:
            raise self.refuse
        loop = asyncio.get_running_loop()
        new = NewExecution(
            new_id(), request.workflow.id, 1, request.mode, "queued", self.clock.now_ms(),
            orjson.dumps(request.items), delivery=request.delivery,
        )  # fmt: skip
        accepted = self.store.add_execution(new)
        self.requests.append(request)
        if accepted.exception() is None:
            assert request.delivery is not None
            self.started.append((request.start, iso(int(request.delivery.key))[11:19]))
        return FakeExecution(new.id, accepted, loop.create_future(), loop.create_future(), loop.create_future())


@dataclass
class FakeReader:
    store: MemoryStore

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        stored = await self.store.workflow(workflow_id)
        if stored is None:
            raise NotFound
        return parse(stored.document, workflow_id)

    def timezone(self, workflow: Workflow) -> str:
        return workflow.settings.timezone or "UTC"


def parse(document: dict[str, Any], workflow_id: str) -> Workflow:
    nodes = {
        raw["name"]: Node(
            raw["id"], raw["name"], raw["type"], local_type(raw["type"]), raw.get("typeVersion"), raw["parameters"]
        )
        for raw in document["nodes"]
    }
    zone = WorkflowSettings(timezone=document.get("timezone"))
    return Workflow(workflow_id, document["name"], 1, True, nodes, {}, zone, {}, document)


def document(*rules: dict[str, Any], name: str = "Tick", timezone: str | None = None) -> dict[str, Any]:
    node = {
        "id": name,
        "name": name,
        "type": "n8n-nodes-base.scheduleTrigger",
        "typeVersion": 1.2,
        "parameters": {"rule": {"interval": list(rules)}},
    }
    return {"name": "W", "nodes": [node], "timezone": timezone}


MINUTELY = {"field": "minutes", "minutesInterval": 1}
HOURLY = {"field": "hours"}


@dataclass
class World:
    """Daemons in a row over one store and one clock."""

    path: Path
    settings: ScheduleSettings = field(default_factory=ScheduleSettings)
    clock: FakeClock = field(default_factory=FakeClock)
    store: MemoryStore = field(default_factory=MemoryStore)

    def __post_init__(self) -> None:
        self.engine = FakeEngine(self.store, self.clock)
        self.tasks: list[asyncio.Task[None]] = []

    async def start(self) -> ScheduleTrigger:
        """Another process."""
        context = FakeContext(self.path, clock=self.clock, tables=[self.settings])
        context.ports.update(Store=self.store, Engine=self.engine, WorkflowReader=FakeReader(self.store))
        spawn = context.spawn

        def noted(name: str, coroutine: Any) -> asyncio.Task[None]:
            self.tasks.append(spawn(name, coroutine))
            return self.tasks[-1]

        context.spawn = noted  # type: ignore[method-assign]
        self.trigger = ScheduleTrigger(context)
        self.context = context
        self.context.spawn("schedule", self.trigger.run())
        await self.clock.advance(0)
        return self.trigger

    async def kill(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.tasks.clear()

    async def live(self, wanted: dict[str, Any], workflow_id: str | None = None) -> str:
        """Save and activate; the running daemon follows."""
        workflow_id = workflow_id or new_id()
        workflow = parse(wanted, workflow_id)
        now = self.clock.now_ms()
        registrations = self.trigger.registrations(workflow)
        if await self.store.workflow(workflow_id) is None:
            await self.store.add_workflow(
                StoredWorkflow(workflow_id, "W", False, 1, wanted, now, now), registrations, None
            )
        else:
            await self.store.change_workflow(workflow_id, wanted, "W", registrations, now=now, author=None)
        await self.store.set_active(workflow_id, True, registrations, now=now)
        await self.trigger.follow(WorkflowChange(workflow_id, "activated", workflow))
        return workflow_id

    @property
    def times(self) -> list[str]:
        return [time for _, time in self.engine.started]


@pytest.fixture
async def world(tmp_path: Path) -> Any:
    made = World(tmp_path)
    await made.start()
    yield made
    await made.kill()


async def test_a_live_trigger_starts_its_workflow_at_every_moment(world: World) -> None:
    await world.live(document(MINUTELY))
    await world.clock.advance(180)
    assert world.times == ["00:01:00", "00:02:00", "00:03:00"]
    request = world.engine.requests[0]
    assert (request.mode, request.start, request.durability) == ("trigger", "Tick", "accept")


async def test_the_item_tells_the_moment_as_n8n_does(world: World) -> None:
    await world.live(document({"field": "cronExpression", "expression": "7 5 1 * * *"}, timezone="Europe/Berlin"))
    await world.clock.advance(HOUR)
    assert [request.items for request in world.engine.requests] == [
        [
            {
                "json": {
                    "timestamp": "2026-01-01T01:05:07.000+01:00",
                    "Readable date": "January 1st 2026, 1:05:07 am",
                    "Readable time": "1:05:07 am",
                    "Day of week": "Thursday",
                    "Year": "2026",
                    "Month": "January",
                    "Day of month": "01",
                    "Hour": "01",
                    "Minute": "05",
                    "Second": "07",
                    "Timezone": "Europe/Berlin (UTC+01:00)",
                }
            }
        ]
    ]


async def test_the_workflows_zone_counts(world: World) -> None:
    await world.live(document({"field": "days", "triggerAtHour": 9}, timezone="Asia/Kolkata"))
    await world.clock.advance(24 * HOUR)
    assert world.times == ["03:30:00"]


async def test_a_slow_workflow_is_started_again_while_it_still_runs(world: World) -> None:
    await world.live(document({"field": "seconds", "secondsInterval": 1}))
    await world.clock.advance(5)
    assert len(world.times) == 5  # none of these executions ever ends


async def test_deactivated_changed_and_deleted_workflows(world: World) -> None:
    changed = await world.live(document(MINUTELY))
    stopped = await world.live(document(MINUTELY, name="Stopped"))
    await world.clock.advance(60)
    await world.live(document({"field": "minutes", "minutesInterval": 2}), changed)
    await world.store.set_active(stopped, False, [], now=world.clock.now_ms())
    await world.trigger.follow(WorkflowChange(stopped, "deactivated", None))
    world.engine.started.clear()
    await world.clock.advance(240)
    assert world.engine.started == [("Tick", "00:02:00"), ("Tick", "00:04:00")]
    await world.store.delete_workflow(changed)
    await world.trigger.follow(WorkflowChange(changed, "deleted", None))
    world.engine.started.clear()
    await world.clock.advance(240)
    assert world.engine.started == []


async def test_a_save_at_the_very_moment_neither_misses_nor_doubles_it(world: World) -> None:
    workflow_id = await world.live(document(MINUTELY))
    await world.clock.advance(59.999)
    world.clock.set_wall(0.002)  # the moment has come, and the daemon has not looked yet
    await world.live(document(MINUTELY), workflow_id)
    await world.clock.advance(1)
    await world.live(document(MINUTELY), workflow_id)
    await world.clock.advance(1)
    assert world.times == ["00:01:00"]


# -- restarts


async def test_a_restart_makes_up_for_one_missed_moment(world: World) -> None:
    await world.live(document(MINUTELY))
    await world.clock.advance(60)
    await world.kill()
    await world.clock.advance(150)
    await world.start()
    assert world.times == ["00:01:00", "00:03:00"]
    await world.clock.advance(60)
    assert world.times == ["00:01:00", "00:03:00", "00:04:00"]


async def test_a_restart_within_one_step_starts_nothing_twice(world: World) -> None:
    await world.live(document(HOURLY))
    await world.clock.advance(HOUR)
    for _ in range(3):
        await world.kill()
        await world.clock.advance(1)
        await world.start()
    assert world.times == ["01:00:00"]


async def test_a_moment_that_was_accepted_right_before_a_crash_is_known(world: World) -> None:
    await world.live(document(HOURLY))
    await world.clock.advance(HOUR - 1)
    await world.clock.advance(1)
    await world.kill()  # at the very moment: the store has the execution, the process knows nothing any more
    await world.start()
    assert world.times == ["01:00:00"]
    assert len(world.engine.requests) == 2  # it was asked for again, and refused by its key


async def test_what_was_missed_too_long_ago_is_not_made_up_for(tmp_path: Path) -> None:
    world = World(tmp_path, ScheduleSettings(catch_up=600))
    await world.start()
    await world.live(document(HOURLY))
    await world.kill()
    await world.clock.advance(HOUR + 601)
    await world.start()
    assert world.times == []
    await world.kill()
    await world.clock.advance(HOUR - 601 + 600)
    await world.start()
    assert world.times == ["02:00:00"]
    await world.kill()


async def test_without_catch_up_nothing_is_made_up_for(tmp_path: Path) -> None:
    world = World(tmp_path, ScheduleSettings(catch_up=0))
    await world.start()
    await world.live(document(MINUTELY))
    await world.kill()
    await world.clock.advance(90)
    await world.start()
    assert world.times == []
    await world.clock.advance(30)
    assert world.times == ["00:02:00"]
    await world.kill()


async def test_moments_before_the_activation_are_not_made_up_for(world: World) -> None:
    await world.clock.advance(HOUR + 60)
    await world.live(document(HOURLY))
    await world.kill()
    await world.start()
    assert world.times == []


async def test_a_moment_is_remembered_for_as_long_as_it_may_be_made_up_for(tmp_path: Path) -> None:
    world = World(tmp_path, ScheduleSettings(catch_up=6 * HOUR, remember_hours=1))
    await world.start()
    await world.live(document({"field": "days"}))
    await world.clock.advance(24 * HOUR)
    await world.kill()
    await world.clock.advance(3 * HOUR)
    await world.start()
    assert world.times == ["00:00:00"]
    await world.kill()


# -- the clock is set


async def test_a_clock_set_forward_makes_up_for_one_moment(world: World) -> None:
    await world.live(document(MINUTELY))
    await world.clock.advance(60)
    world.clock.set_wall(30 * 60)
    await world.clock.advance(5)
    assert world.times == ["00:01:00", "00:31:00"]
    await world.clock.advance(60)
    assert world.times == ["00:01:00", "00:31:00", "00:32:00"]


async def test_a_clock_set_far_forward_makes_up_for_nothing_old(world: World) -> None:
    await world.live(document({"field": "days"}))
    world.clock.set_wall(36 * HOUR)
    await world.clock.advance(5)
    assert world.times == []


async def test_a_clock_set_back_doubles_nothing(world: World) -> None:
    await world.live(document(MINUTELY))
    await world.clock.advance(180)
    world.clock.set_wall(-120)
    await world.clock.advance(180)
    assert world.times == ["00:01:00", "00:02:00", "00:03:00", "00:04:00"]


async def test_a_clock_that_was_wrong_for_a_while_misses_only_what_it_skipped(world: World) -> None:
    await world.live(document(MINUTELY))
    await world.clock.advance(60)
    world.clock.set_wall(365 * 24 * HOUR)
    await world.clock.advance(10)
    made_up = world.times[1:]
    assert len(made_up) == 1
    world.clock.set_wall(-365 * 24 * HOUR)
    await world.clock.advance(60)
    assert world.times[2:] == ["00:02:00"]


async def test_small_corrections_of_the_clock_are_no_news(world: World) -> None:
    await world.live(document(MINUTELY))
    for _ in range(12):
        world.clock.set_wall(0.4)
        await world.clock.advance(5)
        world.clock.set_wall(-0.4)
        await world.clock.advance(5)
    assert world.times == ["00:01:00", "00:02:00"]


async def test_a_daemon_that_was_busy_for_a_while_starts_every_moment(world: World) -> None:
    await world.live(document({"field": "seconds", "secondsInterval": 1}))
    await world.clock.advance(1)
    world.clock._elapsed += 3  # the event loop stood still: both clocks went on, and nobody looked
    await world.clock.advance(0.5)
    assert world.times == ["00:00:01", "00:00:02", "00:00:03", "00:00:04"]


# -- the store and the engine refuse


async def test_what_the_store_does_not_take_is_tried_again(world: World, caplog: pytest.LogCaptureFixture) -> None:
    await world.live(document(HOURLY))
    world.engine.refuse = StoreUnavailable("No more executions can be queued.")
    await world.clock.advance(HOUR + 20)
    assert "cannot be queued or stored. No more executions can be queued." in caplog.text
    world.engine.refuse = None
    await world.clock.advance(5)
    assert world.times == ["01:00:00"]


async def test_a_store_that_fails_later_is_tried_again(world: World) -> None:
    await world.live(document(HOURLY))
    await world.clock.advance(HOUR - 1)
    world.store.fail_with = StoreUnavailable("disk full")
    await world.clock.advance(30)
    world.store.fail_with = None
    await world.clock.advance(5)
    assert world.times == ["01:00:00"]


async def test_a_start_that_stays_impossible_is_given_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    world = World(tmp_path, ScheduleSettings(catch_up=60))
    await world.start()
    await world.live(document(HOURLY))
    world.engine.refuse = StoreUnavailable("full")
    await world.clock.advance(HOUR + 120)
    world.engine.refuse = None
    await world.clock.advance(60)
    assert world.times == []
    assert "is given up" in caplog.text
    await world.kill()


async def test_a_stopping_daemon_leaves_the_moment_to_the_next_one(world: World) -> None:
    await world.live(document(HOURLY))
    world.engine.refuse = Conflict("stopping")
    await world.clock.advance(HOUR + 1)
    await world.kill()
    world.engine.refuse = None
    await world.start()
    assert world.times == ["01:00:00"]


class HeldReader(FakeReader):
    """Its first load waits until it may go on."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store)
        self.may = asyncio.Event()
        self._first = True

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        first, self._first = self._first, False
        if first:
            await self.may.wait()
        return await super().load(workflow_id, version)


async def test_a_trigger_that_is_gone_before_its_start_starts_nothing(world: World) -> None:
    workflow_id = await world.live(document(MINUTELY))
    reader = HeldReader(world.store)
    world.context.ports.update(WorkflowReader=reader)
    await world.clock.advance(60)
    await world.store.set_active(workflow_id, False, [], now=world.clock.now_ms())
    await world.trigger.follow(WorkflowChange(workflow_id, "deactivated", None))
    reader.may.set()
    await world.clock.advance(1)
    assert world.times == []


async def test_a_start_stays_owed_when_its_workflow_is_saved_meanwhile(world: World) -> None:
    workflow_id = await world.live(document(HOURLY))
    reader = HeldReader(world.store)
    world.context.ports.update(WorkflowReader=reader)
    world.engine.refuse = StoreUnavailable("full")
    await world.clock.advance(HOUR)
    await world.live(document(HOURLY), workflow_id)
    reader.may.set()
    await world.clock.advance(0)
    world.engine.refuse = None
    await world.clock.advance(5)
    assert world.times == ["01:00:00"]


async def test_a_store_that_is_late_at_the_start_is_waited_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.start()
    await world.live(document(MINUTELY))
    await world.kill()
    world.store.fail_with = StoreUnavailable("locked")
    await world.start()
    await world.clock.advance(3)
    world.store.fail_with = None
    await world.clock.advance(60)
    assert world.times == ["00:01:00"]
    await world.kill()


async def test_a_change_that_the_store_cannot_tell_is_followed_later(world: World) -> None:
    workflow_id = await world.live(document(HOURLY))
    registrations = world.trigger.registrations(parse(document(MINUTELY), workflow_id))
    await world.store.change_workflow(workflow_id, document(MINUTELY), "W", registrations, now=0, author=None)
    world.store.fail_with = StoreUnavailable("locked")
    await world.trigger.follow(WorkflowChange(workflow_id, "saved", None))
    world.store.fail_with = None
    await world.clock.advance(60)
    assert world.times == ["00:01:00"]


# -- documents


async def test_activation_names_what_is_wrong(world: World) -> None:
    bad = document(MINUTELY, {"field": "cronExpression", "expression": "every day"})
    problems = await world.trigger.activation_problems(parse(bad, "w"))
    assert [problem.path for problem in problems] == ["nodes[0].parameters.rule.interval[1].expression"]
    assert "cron expression" in problems[0].message


async def test_activation_refuses_an_unknown_zone(world: World) -> None:
    problems = await world.trigger.activation_problems(parse(document(MINUTELY, timezone="Mars/Olympus"), "w"))
    assert [problem.path for problem in problems] == ["settings.timezone"]


async def test_a_workflow_without_schedules_registers_nothing(world: World) -> None:
    plain = parse({"name": "W", "nodes": []}, "w")
    assert world.trigger.registrations(plain) == []
    assert await world.trigger.activation_problems(plain) == []


async def test_a_run_by_hand_starts_with_the_present_moment(world: World) -> None:
    schedule, cron, _ = node_types(world.context)
    workflow = parse(document(MINUTELY), "w")
    node = workflow.nodes["Tick"]
    assert schedule.entry(node, workflow, None)[0]["json"]["Year"] == "2026"
    assert schedule.entry(node, workflow, [{"json": {"mine": 1}}]) == [{"json": {"mine": 1}}]
    assert cron.entry(node, workflow, None) == [{"json": {}}]
