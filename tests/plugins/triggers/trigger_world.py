"""Daemons over one store and a clock that the test moves, with a service that is a list in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from jackfield.api.engine import ExecutionRequest
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeDescription, NodeError
from jackfield.api.nodes.parameters import NoParameters
from jackfield.api.nodes.running import PassingNode
from jackfield.api.storage import NewExecution, StoredWorkflow
from jackfield.api.triggers import WorkflowChange
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.newness import Newness
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.triggers.subscribing import EventCall, Received, Subscribed, SubscriptionRun
from jackfield.api.workflows import Item, Node, Problem, Workflow, WorkflowSettings
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_schedule.polling import PollTimesOfSchedules
from jackfield_triggers.lifecycle.trigger import LifecycleTrigger
from jackfield_triggers.polling.polls import Polls
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.records import SubscriptionRecords
from jackfield_triggers.subscribing.subscriptions import Subscriptions
from jackfield_triggers.triggers import PollTrigger, SubscribeTrigger


class Service:
    """rows: what is listed; down: seconds that a refusal asks to wait, while it is down; asked: moments of polls."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.rows: list[dict[str, Any]] = []
        self.down: float | None = None
        self.asked: list[int] = []
        self.hooks: dict[str, dict[str, Any]] = {}
        self.calls: list[str] = []
        self.lifetime: int | None = None
        self.hangs = False

    def add(self, count: int = 1) -> None:
        first = len(self.rows)
        self.rows += [{"id": first + number} for number in range(count)]

    def refuse(self) -> None:
        if self.down is not None:
            raise ServiceRefusal("The service is down.", status=503, retry_after=self.down)


class Asking(PassingNode):
    """Polls the service."""

    def __init__(self, service: Service) -> None:
        described = NodeDescription("Asking", "", "trigger", inputs=0, trigger=True)
        super().__init__("asking", (1,), described, NoParameters)
        self._service = service

    async def poll(self, run: PollRun) -> Polled:
        self._service.asked.append(run.now)
        await asyncio.sleep(0)  # another daemon may ask in between
        self._service.refuse()
        rule = Newness("id", lambda row: row["id"])  # type: ignore[index, call-overload]  # rows of this service
        new, more = rule.new(self._service.rows, run.state, run.limit)
        return Polled([{"json": row} for row in new if isinstance(row, dict)], more)

    def poll_problems(self, node: Node) -> Sequence[Problem]:
        return []


class Ringing(PassingNode):
    """Subscribes at the service."""

    def __init__(self, service: Service) -> None:
        described = NodeDescription("Ringing", "", "trigger", inputs=0, trigger=True)
        super().__init__("ringing", (1,), described, NoParameters)
        self._service = service

    async def subscribe(self, run: SubscriptionRun) -> Subscribed:
        return self._made(run, "subscribe")

    async def renew(self, run: SubscriptionRun) -> Subscribed:
        if str(run.state["id"]) not in self._service.hooks:
            raise ServiceRefusal("It is not there.", status=404)
        return self._made(run, "renew")

    def _made(self, run: SubscriptionRun, told: str) -> Subscribed:
        self._service.calls.append(told)
        self._service.refuse()
        ident = str(run.state.setdefault("id", f"h{len(self._service.calls)}"))
        end = None if self._service.lifetime is None else run.now + self._service.lifetime
        self._service.hooks[ident] = {"url": run.url, "secret": run.secret, "topic": run.node.parameters.get("topic")}
        return Subscribed(end)

    async def check(self, run: SubscriptionRun) -> bool:
        self._service.calls.append("check")
        self._service.refuse()
        found = next((ident for ident, hook in self._service.hooks.items() if hook["url"] == run.url), None)
        if found is not None:
            run.state["id"] = found
        return found is not None

    async def unsubscribe(self, run: SubscriptionRun) -> None:
        self._service.calls.append("unsubscribe")
        if self._service.hangs:
            await asyncio.Event().wait()
        self._service.refuse()
        self._service.hooks.pop(str(run.state.get("id")), None)

    async def receive(self, run: SubscriptionRun, event: EventCall) -> Received:
        raise NodeError("The tests of the world send nothing.")

    def subscription_problems(self, node: Node) -> Sequence[Problem]:
        return []


@dataclass
class FakeExecution:
    id: str
    accepted: asyncio.Future[None]


@dataclass
class FakeEngine:
    """items: of what was accepted."""

    store: MemoryStore
    clock: FakeClock
    items: list[Item] = field(default_factory=list)

    @property
    def started(self) -> list[int]:
        """`id` of every item."""
        return [int(str(item["json"]["id"])) for item in self.items]

    def submit(self, request: ExecutionRequest) -> FakeExecution:
        new = NewExecution(
            request.id or new_id(), request.workflow.id, 1, request.mode, "queued", self.clock.now_ms(),
            orjson.dumps(request.items), static=request.static,
        )  # fmt: skip
        accepted = self.store.add_execution(new)
        if accepted.exception() is None:
            self.items += request.items
        return FakeExecution(new.id, accepted)


@dataclass
class ToldErrors:
    """`ErrorWorkflows`. told: node and message of each."""

    told: list[tuple[str, str]] = field(default_factory=list)

    async def trigger_failed(self, workflow: Workflow, node: str, message: str) -> bool:
        self.told.append((node, message))
        return True


@dataclass
class FakeReader:
    store: MemoryStore

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        stored = await self.store.workflow(workflow_id)
        if stored is None:
            raise NotFound
        return parse(stored)

    def timezone(self, workflow: Workflow) -> str:
        return "UTC"


def parse(stored: StoredWorkflow) -> Workflow:
    nodes: Any = stored.document["nodes"]
    made = {
        raw["name"]: Node(raw["id"], raw["name"], raw["kind"], raw["kind"], 1, raw["parameters"], webhook_id=raw["id"])
        for raw in nodes
    }
    return Workflow(stored.id, "W", stored.version, stored.active, made, {}, WorkflowSettings(), {}, stored.document)


@dataclass
class World:
    path: Path
    settings: TriggerSettings = field(default_factory=TriggerSettings)
    clock: FakeClock = field(default_factory=FakeClock)
    store: MemoryStore = field(default_factory=MemoryStore)

    def __post_init__(self) -> None:
        self.service = Service(self.clock)
        self.engine = FakeEngine(self.store, self.clock)
        self.errors = ToldErrors()
        self.tasks: list[asyncio.Task[None]] = []
        self.contexts: list[FakeContext] = []

    def bare(self) -> FakeContext:
        """Another process that serves nothing by itself."""
        context = FakeContext(self.path, clock=self.clock, tables=[self.settings])
        context.ports |= {
            "Store": self.store,
            "Engine": self.engine,
            "ErrorWorkflows": self.errors,
            "WorkflowReader": FakeReader(self.store),
            "NodeCatalog": FakeCatalog(Asking(self.service), Ringing(self.service)),
            "PollTimesReader": PollTimesOfSchedules(context),
        }
        return context

    def daemon(self) -> FakeContext:
        """Another process. It asks as soon as it is here, whoever else does."""
        context = self.bare()
        polls, subscriptions = context.port(Polls), context.port(Subscriptions)
        polls.begun = True
        self.tasks += [asyncio.ensure_future(polls.run()), asyncio.ensure_future(subscriptions.run())]
        self.contexts.append(context)
        return context

    async def end(self, run: Callable[[], Awaitable[None]]) -> None:
        """What daemons began with this function ends; they live on."""
        ended = [task for task in self.tasks if getattr(task.get_coro(), "__qualname__", "") == run.__qualname__]
        for task in ended:
            task.cancel()
        await asyncio.gather(*ended, return_exceptions=True)

    async def kill(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        self.tasks.clear()
        self.contexts.clear()

    async def live(self, kind: str, ident: str = "n", **parameters: Any) -> str:
        """Save and activate a workflow with one such node; its id. The daemons follow."""
        workflow_id = await self.stored(kind, ident, **parameters)
        await self.follow(workflow_id, "activated")
        return workflow_id

    async def stored(self, kind: str, ident: str = "n", **parameters: Any) -> str:
        """The same, and nobody follows."""
        raw: Any = {"id": ident, "name": kind, "kind": kind, "parameters": parameters}
        workflow_id = f"w-{ident}"
        now = self.clock.now_ms()
        stored = StoredWorkflow(workflow_id, "W", True, 1, {"nodes": [raw]}, now, now)
        registrations = self._registrations(parse(stored))
        known = await self.store.workflow(workflow_id)
        if known is None:
            await self.store.add_workflow(stored, registrations, None)
        else:
            await self.store.change_workflow(
                workflow_id, stored.document, "W", registrations, now=now, author=None, active=True
            )
        await self.switch(workflow_id, active=True)
        return workflow_id

    async def switch(self, workflow_id: str, *, active: bool) -> None:
        stored = await self.store.workflow(workflow_id)
        assert stored is not None
        registrations = self._registrations(parse(stored))
        await self.store.set_active(workflow_id, active, registrations, now=self.clock.now_ms())

    def _registrations(self, workflow: Workflow) -> list[Any]:
        context = self.contexts[0] if self.contexts else self.bare()
        kinds = (PollTrigger(context), SubscribeTrigger(context), LifecycleTrigger(context))
        return [one for kind in kinds for one in kind.registrations(workflow)]

    async def follow(self, workflow_id: str, action: Any) -> None:
        stored = await self.store.workflow(workflow_id)
        change = WorkflowChange(workflow_id, action, parse(stored) if stored else None)
        for context in self.contexts:
            for waited in (PollTrigger(context).follow(change), SubscribeTrigger(context).follow(change)):
                task = asyncio.ensure_future(waited)
                await self.clock.advance(0)
                await asyncio.wait_for(task, 20)

    async def records(self) -> list[str]:
        return await SubscriptionRecords(self.contexts[0]).ids()
