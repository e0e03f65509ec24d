"""The pages of forms, put together, with an engine that does what a test says."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quart import Quart

from jackfield.api.engine import ExecutionRequest, Failure, Outcome, WaitingCall
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeAnswer
from jackfield.api.resume import ResumeLinks
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflows import Items, Node, Workflow, WorkflowSettings, local_type
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_forms.app import build
from jackfield_forms.settings import FormSettings
from jackfield_forms.trigger import FormTrigger

NAME = {"values": [{"fieldLabel": "Name", "requiredField": True}]}
HOST = {"Host": "127.0.0.1:8765"}


@dataclass
class FakeExecution:
    id: str
    accepted: asyncio.Future[None]
    answer: asyncio.Future[NodeAnswer | None]
    finished: asyncio.Future[Outcome]
    stored: asyncio.Future[None]


@dataclass
class FakeEngine:
    items: Items = field(default_factory=list)
    failed: bool = False
    answer: NodeAnswer | None = None
    refuse: Exception | None = None
    waits: dict[str, WaitingCall | Exception] = field(default_factory=dict)
    requests: list[ExecutionRequest] = field(default_factory=list)
    resumed: list[Items | None] = field(default_factory=list)

    def submit(self, request: ExecutionRequest) -> FakeExecution:
        if self.refuse is not None:
            raise self.refuse
        self.requests.append(request)
        return self._ended(new_id())

    def _ended(self, ident: str) -> FakeExecution:
        made = FakeExecution(ident, *(asyncio.get_running_loop().create_future() for _ in range(4)))
        made.accepted.set_result(None)
        made.answer.set_result(self.answer)
        made.finished.set_result(
            Outcome("failed", [], Failure("no")) if self.failed else Outcome("success", self.items)
        )
        return made

    async def waiting(self, ident: str) -> WaitingCall:
        found = self.waits.get(ident)
        if found is None:
            raise NotFound
        if isinstance(found, Exception):
            raise found
        return found

    async def resume(self, waiting: WaitingCall, items: Items | None) -> FakeExecution:
        self.resumed.append(items)
        return self._ended(waiting.execution_id)


@dataclass
class FakeReader:
    saved: dict[str, Workflow] = field(default_factory=dict)

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        return self.saved[workflow_id]


class Site:
    """The plugin, put together."""

    def __init__(self, directory: Path, settings: FormSettings) -> None:
        self.store, self.engine, self.reader = MemoryStore(), FakeEngine(), FakeReader()
        self.context = FakeContext(directory, clock=FakeClock(), tables=[settings])
        self.context.ports.update(Store=self.store, Engine=self.engine, WorkflowReader=self.reader)
        self.trigger = FormTrigger(self.context)
        self.app: Quart = build(self.context)
        self.client = self.app.test_client()

    async def form(self, path: str = "f", *others: str, **parameters: Any) -> Workflow:
        """A live workflow of a form and further nodes of these kinds."""
        given = {"path": path, "formTitle": "T", "formFields": NAME, **parameters}
        nodes = {"F": Node("1", "F", "n8n-nodes-base.formTrigger", "formTrigger", 2.2, given)}
        nodes |= {kind: Node(kind, kind, kind, local_type(kind), 1, {}) for kind in others}
        ident = new_id()
        workflow = Workflow(ident, "W", 1, True, nodes, {}, WorkflowSettings(), {}, {"nodes": [{"name": "F"}]})
        registrations = self.trigger.registrations(workflow)
        await self.store.add_workflow(StoredWorkflow(ident, "W", True, 1, {}, 0, 0), registrations, None)
        self.reader.saved[ident] = workflow
        return workflow

    def wait(self, kind: str = "form", page: str = "page", **told: Any) -> str:
        """An execution that waits for a form; its address."""
        node = Node("w", "W", "n8n-nodes-base.form", kind, 1, {})
        workflow = Workflow("w", "W", 1, True, {"W": node}, {}, WorkflowSettings(), {}, {})
        ident = new_id()
        call = {"kind": "form", "page": page, "parameters": {"formFields": NAME, **told}}
        self.engine.waits[ident] = WaitingCall(ident, 4, workflow, node, "webhook", call)
        return self.state(ident)

    def state(self, ident: str, error: Exception | None = None) -> str:
        if error is not None:
            self.engine.waits[ident] = error
        return "/form-waiting/" + ResumeLinks(self.context).token(ident)

    async def get(self, path: str) -> tuple[int, str]:
        answer = await self.client.get(path, headers=HOST)
        return answer.status_code, await answer.get_data(as_text=True)

    async def post(self, path: str, **fields: str) -> tuple[int, str]:
        form = {name.replace("_", "-"): value for name, value in fields.items()}
        answer = await self.client.post(path, headers=HOST, form=form)
        return answer.status_code, await answer.get_data(as_text=True)
