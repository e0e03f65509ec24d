"""A webhook plugin over a store in memory and an engine that does what the test says."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import orjson
import pytest

from jackfield.api.asgi import AsgiApp
from jackfield.api.engine import ExecutionRequest, Failure, Outcome, WaitingCall
from jackfield.api.errors import Conflict, ExecutionTimeout, NotFound
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeAnswer
from jackfield.api.storage import CallUpdate, FinishedExecution, NewExecution, StoredCall, StoredWorkflow, Webhook
from jackfield.api.triggers import WorkflowChange
from jackfield.api.workflows import Items, Node, Workflow, WorkflowSettings, local_type
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_webhooks.authentication.senders import PRESETS
from jackfield_webhooks.calls.rejections import RejectedCalls
from jackfield_webhooks.hook import HookFactory
from jackfield_webhooks.mounts import mounts
from jackfield_webhooks.routing.registry import RouteRegistry
from jackfield_webhooks.settings import WebhookSettings
from jackfield_webhooks.trigger import WebhookTrigger

Headers = Mapping[str, str | bytes]


def make_workflow(document: dict[str, Any], id: str, version: int = 1, active: bool = False) -> Workflow:
    """The parts of a document that the plugin reads."""
    nodes = {
        raw["name"]: Node(
            id=raw["id"],
            name=raw["name"],
            type=raw["type"],
            kind=local_type(raw["type"]),
            version=raw.get("typeVersion"),
            parameters=raw.get("parameters", {}),
            disabled=raw.get("disabled", False),
            credentials=raw.get("credentials", {}),
            webhook_id=raw.get("webhookId"),
        )
        for raw in document["nodes"]
    }
    return Workflow(id, document["name"], version, active, nodes, {}, WorkflowSettings(), {}, document)


@dataclass
class FakeExecution:
    id: str
    accepted: asyncio.Future[None]
    answer: asyncio.Future[NodeAnswer | None]
    finished: asyncio.Future[Outcome]
    stored: asyncio.Future[None]


@dataclass
class FakeEngine:
    """Stores what it is given, then ends with `items` or `failure`, at once unless `hold` is set."""

    store: MemoryStore
    items: Items = field(default_factory=lambda: [{"json": {"n": 1}}, {"json": {"n": 2}}])
    failure: str | None = None
    answer: NodeAnswer | None = None
    hold: bool = False
    refuse: Exception | None = None
    requests: list[ExecutionRequest] = field(default_factory=list)
    executions: list[FakeExecution] = field(default_factory=list)
    waits: dict[str, WaitingCall | Exception] = field(default_factory=dict)
    resumed: list[Items] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    name: str = "fake"

    def submit(self, request: ExecutionRequest) -> FakeExecution:
        if self.refuse is not None:
            raise self.refuse
        loop = asyncio.get_running_loop()
        ident = new_id()
        execution = FakeExecution(ident, *(loop.create_future() for _ in range(4)))
        self.requests.append(request)
        self.executions.append(execution)
        new = NewExecution(
            ident, request.workflow.id, request.workflow.version, request.mode, "running", 0,
            request.encoded or b"{}", 0, call=request.call, delivery=request.delivery,
        )  # fmt: skip
        accepted = self.store.add_execution(new)
        accepted.add_done_callback(lambda done: self._accepted(execution, done))
        return execution

    def _accepted(self, execution: FakeExecution, done: asyncio.Future[None]) -> None:
        error = done.exception()
        if error is not None:
            for future in (execution.accepted, execution.answer, execution.finished, execution.stored):
                future.set_exception(error)
                future.exception()
            return
        execution.accepted.set_result(None)
        if not self.hold:
            self.end(execution)

    def end(self, execution: FakeExecution) -> None:
        outcome = Outcome("success", self.items)
        if self.failure is not None:
            outcome = Outcome("failed", [], Failure(self.failure))
        self.outcomes[execution.id] = outcome
        self.store.finish_execution(FinishedExecution(execution.id, outcome.status, 1, 0))
        ends: list[tuple[asyncio.Future[Any], object]] = [
            (execution.answer, self.answer),
            (execution.finished, outcome),
            (execution.stored, None),
        ]
        for future, value in ends:
            if not future.done():
                future.set_result(value)

    def complete_call(self, execution: FakeExecution, update: CallUpdate) -> asyncio.Future[None]:
        return self.store.update_call(update)

    async def waiting(self, execution_id: str) -> WaitingCall:
        found = self.waits.get(execution_id)
        if found is None:
            raise NotFound
        if isinstance(found, Exception):
            raise found
        return found

    async def resume(self, waiting: WaitingCall, items: Items) -> FakeExecution:
        self.resumed.append(items)
        self.waits[waiting.execution_id] = Conflict("used")
        loop = asyncio.get_running_loop()
        execution = FakeExecution(waiting.execution_id, *(loop.create_future() for _ in range(4)))
        execution.accepted.set_result(None)
        self.end(execution)
        return execution

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        if await self.store.execution(execution_id) is None:
            raise NotFound
        if execution_id not in self.outcomes:
            raise ExecutionTimeout
        return self.outcomes[execution_id]


@dataclass
class FakeReader:
    """`WorkflowReader.load` over the saved workflows."""

    saved: dict[str, Workflow] = field(default_factory=dict)
    loads: int = 0

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        self.loads += 1
        if workflow_id not in self.saved:
            raise NotFound
        return self.saved[workflow_id]


@dataclass
class Answer:
    status: int
    raw_headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        return {name.decode(): value.decode("latin-1") for name, value in self.raw_headers}

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json()["code"])


class Caller:
    """Calls an ASGI application as a server would."""

    def __init__(self, app: AsgiApp, segment: str) -> None:
        self._app = app
        self._segment = segment
        self._ids = itertools.count(1)

    async def __call__(
        self,
        path: str,
        method: str = "POST",
        *,
        json: object = ...,
        body: bytes | Sequence[bytes] = b"",
        headers: Headers | Iterable[tuple[str, str | bytes]] | None = None,
        client: str = "127.0.0.1",
        receive: Callable[[], Any] | None = None,
    ) -> Answer:
        pairs = list(headers.items() if isinstance(headers, Mapping) else headers or [])
        if json is not ...:
            body = orjson.dumps(json)
            pairs.append(("content-type", "application/json"))
        raw, _, query = path.partition("?")
        parts = [body] if isinstance(body, bytes) else list(body)
        scope = {
            "type": "http",
            "method": method,
            "path": f"/{self._segment}/{raw}",
            "raw_path": f"/{self._segment}/{raw}".encode(),
            "query_string": query.encode(),
            "headers": [(k.lower().encode(), v if isinstance(v, bytes) else v.encode("latin-1")) for k, v in pairs],
            "jackfield.client": client,
            "jackfield.request_id": f"r{next(self._ids)}",
        }
        messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
        messages.append({"type": "http.request", "body": b"", "more_body": False})
        waiting = iter(messages)

        async def default_receive() -> dict[str, Any]:
            found = next(waiting, None)
            return found or await asyncio.get_running_loop().create_future()  # the caller stays

        sent: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            sent.append(dict(message))

        await self._app(scope, receive or default_receive, send)
        if not sent:
            return Answer(0, [], b"")
        assert sent[0]["type"] == "http.response.start"
        assert [part.get("more_body", False) for part in sent[1:]] == [True] * (len(sent) - 2) + [False]
        return Answer(sent[0]["status"], sent[0]["headers"], b"".join(part.get("body", b"") for part in sent[1:]))


class Bench:
    """The plugin, put together."""

    def __init__(self, directory: Path, settings: dict[str, Any], *, loopback: bool = True) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore()
        self.engine = FakeEngine(self.store)
        self.reader = FakeReader()
        self.context: Any = FakeContext(
            directory, clock=self.clock, tables=[WebhookSettings.model_validate(settings)],
            ports={"Store": self.store, "Engine": self.engine, "WorkflowReader": self.reader, "jackfield_triggers": []},
        )  # fmt: skip
        if not loopback:
            service = self.context.service
            self.context.service = type(service)(service.config_dir, "0.0.0.0", 1, "http://x", "0", False)
        # The fake is less than a PluginContext, which mypy would mind.
        context: Any = cast("Any", self.context)
        self.trigger = WebhookTrigger(context)
        self.context.ports.update(jackfield_triggers=[self.trigger])
        self.presets: list[Any] = [*PRESETS]
        self.context.ports["jackfield_webhook_presets"] = self.presets
        self.context.ports["HookSource"] = HookFactory(context)
        self.registry: RouteRegistry = context.port(RouteRegistry)
        self.rejected: RejectedCalls = context.port(RejectedCalls)
        live, test, waiting = mounts(context)
        self.call = Caller(live.app, live.segment)
        self.test_call = Caller(test.app, test.segment)
        self.waiting = Caller(waiting.app, waiting.segment)

    async def save(self, *nodes: dict[str, Any], active: bool = True, id: str | None = None, name: str = "w") -> str:
        """Save a workflow of these nodes (a new version when `id` is known) and let the plugin follow."""
        document: dict[str, Any] = {"name": name, "nodes": list(nodes), "connections": {}}
        known = self.reader.saved.get(id or "")
        ident = id or new_id()
        version = known.version + 1 if known else 1
        workflow = make_workflow(document, ident, version, active)
        registrations = self.trigger.registrations(workflow)
        now = self.clock.now_ms() + version
        if known is None:
            stored = StoredWorkflow(ident, name, False, 1, document, now, now)
            await self.store.add_workflow(stored, registrations, None)
        else:
            await self.store.change_workflow(ident, document, name, registrations, now=now, author=None)
        await self.store.set_active(ident, active, registrations, now=now)
        self.reader.saved[ident] = workflow
        await self.trigger.follow(WorkflowChange(ident, "saved", workflow))
        return ident

    async def hook(self, path: str, *, active: bool = True, **parameters: Any) -> str:
        """Save a workflow of one Webhook node."""
        return await self.save(webhook(path, **parameters), active=active)

    async def delete(self, workflow_id: str) -> None:
        await self.store.delete_workflow(workflow_id)
        del self.reader.saved[workflow_id]
        await self.trigger.follow(WorkflowChange(workflow_id, "deleted", None))

    async def webhooks(self, workflow_id: str) -> Sequence[Webhook]:
        page = await self.store.webhooks(offset=0, limit=100, active=None, workflow_id=workflow_id)
        return page.rows

    async def calls(self, workflow_id: str) -> Sequence[StoredCall]:
        """The history of the workflow's only webhook, the newest first."""
        (row,) = await self.webhooks(workflow_id)
        await self.rejected.flush()
        await asyncio.sleep(0)
        return (await self.store.calls(row.id, status=None, offset=0, limit=1000)).rows

    @property
    def item(self) -> dict[str, Any]:
        """What the last started execution got."""
        return self.engine.requests[-1].items[0]["json"]


def webhook(path: str, *, name: str = "Webhook", version: float | None = None, **parameters: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": f"id-{name}",
        "name": name,
        "type": "jackfield.webhook",
        "parameters": {"path": path, **parameters},
    }
    credentials = made["parameters"].pop("credentials", None)
    if credentials:
        made["credentials"] = credentials
    return made if version is None else {**made, "typeVersion": version}


@pytest.fixture
def make_bench(tmp_path: Path) -> Callable[..., Bench]:
    def make(settings: dict[str, Any] | None = None, **options: Any) -> Bench:
        return Bench(tmp_path, settings or {}, **options)

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()


@pytest.fixture
def node_of() -> Callable[..., dict[str, Any]]:
    """Builds a Webhook node."""
    return webhook


@pytest.fixture
def parse() -> Callable[..., Workflow]:
    """Builds a workflow of nodes."""

    def make(*nodes: dict[str, Any]) -> Workflow:
        return make_workflow({"name": "w", "nodes": list(nodes), "connections": {}}, "w-1")

    return make
