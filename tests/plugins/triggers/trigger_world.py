"""Daemons over one store and a clock that the test moves, with a service that is a list in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeDescription, NodeError
from jackfield.api.nodes.parameters import NoParameters
from jackfield.api.nodes.running import PassingNode
from jackfield.api.storage import NewExecution, StoredWorkflow
from jackfield.api.triggers import WorkflowChange
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.api.triggers.listening import Heard, ListeningBase, ListenRun
from jackfield.api.triggers.newness import Newness
from jackfield.api.triggers.polling import Polled, PollRun
from jackfield.api.triggers.subscribing import EventCall, Received, Subscribed, SubscriptionRun
from jackfield.api.workflows import Item, Node, Problem, Workflow, WorkflowSettings
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_schedule.polling import PollTimesOfSchedules
from jackfield_triggers.lifecycle.trigger import LifecycleTrigger
from jackfield_triggers.listening.listeners import Listeners
from jackfield_triggers.polling.polls import Polls
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.subscribing.records import SubscriptionRecords
from jackfield_triggers.subscribing.subscriptions import Subscriptions
from jackfield_triggers.triggers import ListenTrigger, PollTrigger, SubscribeTrigger


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


class Broker:
    """A service with a connection: it keeps each event until it is settled. lost: events are not kept. refuses: what
    the opening raises; settled: what became of which event; left: nodes that went."""

    def __init__(self) -> None:
        self.kept: list[dict[str, Any]] = []
        self.refuses: Exception | None = None
        self.opened = 0
        self.open = 0
        self.settled: list[tuple[int, str]] = []
        self.left: list[Any] = []
        self.news = asyncio.Event()
        self.drops = asyncio.Event()

    def send(self, *numbers: int) -> None:
        self.kept += [{"id": number} for number in numbers]
        self.news.set()

    def drop(self) -> None:
        self.drops.set()
        self.news.set()


class Hearing(PassingNode, ListeningBase):
    """Holds a connection to the broker. Its parameter `how`: `key`, `state`, `end` or nothing."""

    def __init__(self, broker: Broker) -> None:
        described = NodeDescription("Hearing", "", "trigger", inputs=0, trigger=True)
        super().__init__("hearing", (1,), described, NoParameters)
        self._broker = broker

    @asynccontextmanager
    async def listen(self, run: ListenRun) -> AsyncIterator[AsyncIterator[Heard]]:
        if self._broker.refuses is not None:
            raise self._broker.refuses
        self._broker.opened += 1
        self._broker.open += 1
        self._broker.drops.clear()
        try:
            yield self._events(run)
        finally:
            self._broker.open -= 1

    async def _events(self, run: ListenRun) -> AsyncIterator[Heard]:
        broker, how = self._broker, run.node.parameters.get("how")
        sent: set[int] = set()
        last: Any = run.state.get("last", -1)
        while not broker.drops.is_set():
            event = next((one for one in broker.kept if one["id"] not in sent), None)
            if event is None:
                broker.news.clear()
                await broker.news.wait()
                continue
            number = event["id"]
            sent.add(number)
            if how == "state" and number <= last:
                continue
            yield Heard(
                [{"json": event}],
                {"last": number} if how == "state" else None,
                str(number) if how == "key" else "",
                settle=self._settling(event),
                until_end=how == "end",
            )

    def _settling(self, event: dict[str, Any]) -> Callable[[Any], Awaitable[None]]:
        async def settle(became: str) -> None:
            self._broker.settled.append((event["id"], became))
            if became != "left" and event in self._broker.kept:
                self._broker.kept.remove(event)

        return settle

    async def leave(self, run: ListenRun) -> None:
        if self._broker.refuses is not None:
            raise self._broker.refuses
        self._broker.left.append(run.node.parameters.get("how"))


@dataclass
class FakeExecution:
    id: str
    accepted: asyncio.Future[None]
    finished: asyncio.Future[Outcome]


@dataclass
class FakeEngine:
    """items: of what was accepted."""

    store: MemoryStore
    clock: FakeClock
    items: list[Item] = field(default_factory=list)
    executions: list[FakeExecution] = field(default_factory=list)

    @property
    def started(self) -> list[int]:
        """`id` of every item."""
        return [int(str(item["json"]["id"])) for item in self.items]

    def submit(self, request: ExecutionRequest) -> FakeExecution:
        new = NewExecution(
            request.id or new_id(), request.workflow.id, 1, request.mode, "queued", self.clock.now_ms(),
            orjson.dumps(request.items), static=request.static, delivery=request.delivery,
        )  # fmt: skip
        accepted = self.store.add_execution(new)
        if accepted.exception() is None:
            self.items += request.items
        made = FakeExecution(new.id, accepted, asyncio.get_running_loop().create_future())
        self.executions.append(made)
        return made


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
        self.broker = Broker()
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
            "NodeCatalog": FakeCatalog(Asking(self.service), Ringing(self.service), Hearing(self.broker)),
            "PollTimesReader": PollTimesOfSchedules(context),
        }
        return context

    def daemon(self) -> FakeContext:
        """Another process. It asks as soon as it is here, whoever else does."""
        context = self.bare()
        served = context.port(Polls), context.port(Subscriptions), context.port(Listeners)
        served[0].begun = True
        self.tasks += [asyncio.ensure_future(one.run()) for one in served]
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
        kinds = (PollTrigger, SubscribeTrigger, ListenTrigger, LifecycleTrigger)
        return [one for kind in kinds for one in kind(context).registrations(workflow)]

    async def follow(self, workflow_id: str, action: Any) -> None:
        stored = await self.store.workflow(workflow_id)
        change = WorkflowChange(workflow_id, action, parse(stored) if stored else None)
        for context in self.contexts:
            for kind in (PollTrigger, SubscribeTrigger, ListenTrigger):
                task = asyncio.ensure_future(kind(context).follow(change))
                await self.clock.advance(0)
                await asyncio.wait_for(task, 20)

    async def records(self) -> list[str]:
        return await SubscriptionRecords(self.contexts[0]).ids()
