"""A bare Quart application with the management API on a store in memory."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest
from quart import Quart, Response, g
from quart.typing import TestClientProtocol
from werkzeug.exceptions import HTTPException

from jackfield.api import jsontext
from jackfield.api.auth import Principal
from jackfield.api.clock import SystemClock
from jackfield.api.engine import Execution, ExecutionRequest, Failure, Outcome
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.events import Event
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeAnswer, NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.storage import FinishedExecution, NewExecution
from jackfield.api.triggers import Registration, WorkflowChange
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield.testing.context import FakeCatalog, FakeContext, FakeEvents
from jackfield.testing.store import MemoryStore
from jackfield_credentials.http import routes as credential_routes
from jackfield_credentials.kinds import KINDS
from jackfield_expressions.service import ExpressionsService
from jackfield_workflows.blueprints import blueprints
from jackfield_workflows.documents.reader import CachedReader


class HookParameters(NodeParameters):
    path: str
    httpMethod: str = "POST"  # noqa: N815


class HookNode:
    """A stand-in for the Webhook node."""

    kind = "webhook"
    versions = (1.0, 2.0)
    description = NodeDescription("Webhook", "Starts on a call.", "trigger", inputs=0, trigger=True)
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return HookParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        return []


class PlainNode(HookNode):
    """A stand-in for what may stand behind it."""

    kind = "set"
    description = NodeDescription("Set", "Passes items on.", "data")

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NodeParameters


class HookTrigger:
    """Registers webhook nodes, refuses those whose path is `secret`, notes what it follows."""

    kind = "webhook"

    def __init__(self) -> None:
        self.followed: list[WorkflowChange] = []
        self.broken = False

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(node.id, node.name, "webhook", "POST", f"/{path}", str(path))
            for node in workflow.nodes.values()
            if node.kind == "webhook" and not node.disabled and (path := node.parameters.get("path"))
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        return [
            Problem(f"nodes.{node.name}.parameters.path", "This path needs a secret.")
            for node in workflow.nodes.values()
            if node.parameters.get("path") == "secret"
        ]

    async def follow(self, change: WorkflowChange) -> None:
        await asyncio.sleep(0)
        self.followed.append(change)
        if self.broken:
            raise RuntimeError("cannot follow")


@dataclass
class FakeExecution:
    id: str
    accepted: asyncio.Future[None]
    answer: asyncio.Future[NodeAnswer | None]
    finished: asyncio.Future[Outcome]
    stored: asyncio.Future[None]


@dataclass
class FakeEngine:
    """Passes the items to the last node. A node `Stop` fails, a node `Hold` waits until `release`."""

    store: MemoryStore
    name: str = "fake"
    requests: list[ExecutionRequest] = field(default_factory=list)
    held: dict[str, tuple[FakeExecution, ExecutionRequest]] = field(default_factory=dict)

    def submit(self, request: ExecutionRequest) -> Execution:
        loop = asyncio.get_running_loop()
        self.requests.append(request)
        execution = FakeExecution(new_id(), *(loop.create_future() for _ in range(4)))
        self._add(execution.id, request).add_done_callback(lambda _: execution.accepted.set_result(None))
        if "Hold" in request.workflow.nodes:
            self.held[execution.id] = (execution, request)
        else:
            self._end(execution, request)
        return execution

    def _add(self, execution_id: str, request: ExecutionRequest) -> asyncio.Future[None]:
        given = {"start": request.start, "items": request.items, "output": request.start_output}
        return self.store.add_execution(
            NewExecution(
                id=execution_id,
                workflow_id=request.workflow.id,
                workflow_version=request.workflow.version,
                mode=request.mode,
                status="running",
                created_at=1_000,
                started_at=1_500,
                input=orjson.dumps({**given, "pin": request.use_pin_data, "responseNode": False, "depth": 0}),
                document=request.workflow.document if request.workflow.id is None else None,
                retry_of=request.retry_of,
            )
        )

    def _end(self, execution: FakeExecution, request: ExecutionRequest) -> None:
        record: dict[str, Any] = {"node": request.start, "index": 0, "startedAt": 1_500, "duration": 2}
        records = [{**record, "status": "success", "inputOutput": request.start_output}]
        failure = None
        if "Stop" in request.workflow.nodes:
            failure = Failure("It stopped.", "Stop", 0)
            error = {"message": "It stopped.", "itemIndex": 0}
            records.append({**record, "node": "Stop", "index": 1, "status": "failed", "outputs": [], "error": error})
        elif last := [name for name in request.workflow.nodes if name != request.start]:
            outputs = [[], request.items]
            records.append({**record, "node": last[-1], "index": 1, "status": "success", "outputs": outputs})
        stored = self.store.finish_execution(
            FinishedExecution(
                execution.id,
                "failed" if failure else "success",
                finished_at=2_000,
                started_at=1_500,
                steps=orjson.dumps(records),
                error=orjson.dumps({"message": failure.message, "node": "Stop"}) if failure else None,
            )
        )
        outcome = Outcome("failed" if failure else "success", [] if failure else request.items, failure)
        execution.finished.set_result(outcome)
        stored.add_done_callback(lambda _: execution.stored.set_result(None))

    def release(self) -> None:
        for execution, request in self.held.values():
            self._end(execution, request)
        self.held.clear()

    async def cancel(self, execution_id: str) -> None:
        if await self.store.execution(execution_id) is None:
            raise NotFound
        if execution_id not in self.held:
            raise Conflict("The execution is over.")
        execution, _ = self.held.pop(execution_id)
        await self.store.finish_execution(FinishedExecution(execution_id, "cancelled", 2_000, 1_500))
        execution.finished.set_result(Outcome("cancelled"))

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        return Outcome("cancelled")


class LiveEvents(FakeEvents):
    """Delivers to subscriptions, too."""

    def __init__(self) -> None:
        super().__init__(SystemClock())
        self.subscriptions: list[LiveSubscription] = []

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        super().publish(topic, type, data)
        for subscription in self.subscriptions:
            if topic in subscription.topics:
                subscription.queue.append(self.published[-1])
                subscription.ready.set()

    @contextlib.contextmanager
    def subscribe(self, *topics: str) -> Iterator[LiveSubscription]:
        subscription = LiveSubscription(topics)
        self.subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            self.subscriptions.remove(subscription)


class LiveSubscription:
    def __init__(self, topics: tuple[str, ...]) -> None:
        self.topics = topics
        self.queue: deque[Event] = deque()
        self.ready = asyncio.Event()
        self.lost = 0

    def missed(self) -> int:
        lost, self.lost = self.lost, 0
        return lost

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while self.queue:
                yield self.queue.popleft()
            self.ready.clear()
            await self.ready.wait()


@dataclass
class Api:
    """The application's client, and what stands behind it."""

    client: TestClientProtocol
    context: FakeContext
    store: MemoryStore
    engine: FakeEngine
    trigger: HookTrigger
    events: LiveEvents

    async def call(self, method: str, path: str, body: Any = ..., **more: Any) -> Response:
        """A request with a JSON body, unless there is none."""
        given = {} if body is ... else {"json": body}
        return await self.client.open(f"/api/v1{path}", method=method, **given, **more)  # type: ignore[return-value]

    async def ok(self, method: str, path: str, body: Any = ..., status: int = 200, **more: Any) -> Any:
        """The JSON of an answer with this status."""
        answer = await self.call(method, path, body, **more)
        text = await answer.get_data(as_text=True)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code}, not {status}: {text[:400]}"
        return jsontext.loads(text) if text else None

    async def refused(self, method: str, path: str, body: Any = ..., status: int = 400, **more: Any) -> Any:
        """The envelope of an error with this status."""
        found = await self.ok(method, path, body, status, **more)
        assert {"error", "code", "message"} <= set(found), found
        assert found["message"].endswith("."), found
        return found

    async def save(self, document: Mapping[str, Any]) -> Any:
        return await self.ok("POST", "/workflows", document, 201)

    def published(self) -> list[str]:
        return [event.type for event in self.events.published]


OWNER = Principal("u1", "ada", "admin", "jwt")


def application(context: FakeContext) -> Quart:
    app = Quart("test")
    for blueprint in [*blueprints(context), *credential_routes.blueprints(context)]:
        app.register_blueprint(blueprint)

    @app.before_request
    async def authorize() -> None:
        g.principal = context.principal

    @app.errorhandler(JackfieldError)
    async def envelope(error: JackfieldError) -> Response:
        body = {"error": error.title, "code": error.code, "message": error.message, **error.extra}
        if error.details:
            body["details"] = error.details
        return Response(jsontext.dumps(body), status=error.status, content_type="application/json")

    @app.errorhandler(HTTPException)
    async def framework(error: HTTPException) -> Response:
        body = {"error": error.name, "code": "HTTP", "message": "The framework refused."}
        return Response(jsontext.dumps(body), status=error.code or 500, content_type="application/json")

    app.config["PROPAGATE_EXCEPTIONS"] = False
    return app


@pytest.fixture
async def make_api(tmp_path: Path) -> AsyncIterator[Callable[..., Api]]:
    """Builds the application with these settings tables."""
    store = MemoryStore()
    await store.open()

    def make(*tables: Any) -> Api:
        engine, trigger, events = FakeEngine(store), HookTrigger(), LiveEvents()
        context = FakeContext(tmp_path, tables=tables, principal=OWNER)
        context.events = events
        context.ports.update(
            Store=store, Engine=engine, NodeCatalog=FakeCatalog(HookNode(), PlainNode()), jackfield_triggers=[trigger]
        )
        context.ports["Expressions"] = ExpressionsService(context)
        context.ports["WorkflowReader"] = CachedReader(context)
        context.ports["jackfield_credential_kinds"] = {kind.name: kind for kind in KINDS}
        client = application(context).test_client()
        return Api(client, context, store, engine, trigger, events)

    yield make
    await store.close()


@pytest.fixture
def api(make_api: Callable[..., Api]) -> Api:
    return make_api()
