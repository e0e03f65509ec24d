"""An engine with this plugin's nodes and a model provider on loopback that says what a test tells it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from loopback import Loopback, Seen, reply

from jackfield.api.context import WorkflowReader
from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.history import NodeRecord, node_records
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.storage import Credential, StoredWorkflow
from jackfield.api.workflows import Document, Items, Node, Workflow
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeCatalog, FakeContext, made
from jackfield.testing.store import MemoryStore
from jackfield_ai.catalogue import node_types
from jackfield_ai.kinds import KINDS
from jackfield_credentials.kinds import KINDS as GENERIC
from jackfield_credentials.service import CredentialService
from jackfield_engine.engine import EmbeddedEngine, build
from jackfield_expressions.service import ExpressionsService
from jackfield_integrations.databases import SharedConnections
from jackfield_integrations.kinds import KINDS as DATABASES
from jackfield_integrations.settings import IntegrationSettings
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_nodes.catalogue import node_types as core_types
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings
from jackfield_workers.pool import SharedWorkerPool
from jackfield_workflows.documents.reader import CachedReader

SECRET = "sk-very-secret-key"
Said = Mapping[str, Any]
"""What a model says: `text`, `calls` as (name, arguments), `refusal`."""


class QuickClock(FakeClock):
    """Sleepers go on at once; how long they wanted is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


class LabContext(FakeContext):
    """Keeps its background tasks, so that a test can end them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tasks: list[asyncio.Task[None]] = []

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        self.tasks.append(super().spawn(name, coroutine))
        return self.tasks[-1]


class Free(NodeParameters):
    """Any parameters."""


class Noting:
    """A node that notes the items that it got and gives its parameters."""

    kind = "note"
    versions: Sequence[float] = (1,)
    effect = False
    description = NodeDescription("Note", "Gives its parameters.", "transform")

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return Free

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        self.seen.append([item["json"] for item in run.items])
        return [[{"json": one.model_dump()} for one in await run.resolve()]]


class AiLab:
    """says: the provider's answers in turn; a callable gets the request."""

    def __init__(self, directory: Path, server: Loopback) -> None:
        self.server = server
        self.clock = QuickClock()
        self.store = MemoryStore()
        self.scripts = JavaScriptEngine(JavaScriptSettings(expression_workers=1, code_workers=1), SharedWorkerPool())
        tables = [HttpSettings(allowed_networks=["127.0.0.0/8"]), IntegrationSettings(allowed_hosts=["127.0.0.1"])]
        self.context = LabContext(directory, clock=self.clock, tables=tables)
        self.noting = Noting()
        self.says: list[Any] = []
        self.last = ""
        self.ports()
        server.answer = self.answer

    def ports(self) -> None:
        context = self.context
        context.ports.update(Store=self.store, jackfield_script_engines={"javaScript": self.scripts})
        context.ports["jackfield_credential_kinds"] = {kind.name: kind for kind in (*GENERIC, *KINDS, *DATABASES)}
        context.ports["DatabaseConnections"] = SharedConnections(context)
        context.ports["HttpClient"] = GuardedClient(context)
        context.ports["Credentials"] = CredentialService(context)
        types = [*made([*node_types(context), *core_types(context)]), self.noting]
        context.ports["NodeCatalog"] = FakeCatalog(*types)
        context.ports["Expressions"] = ExpressionsService(context)
        context.ports["WorkflowReader"] = CachedReader(context)

    def engine(self) -> EmbeddedEngine:
        return build(self.context)

    async def close(self) -> None:
        await self.scripts.close()
        for task in self.context.tasks:
            task.cancel()
        await asyncio.gather(*self.context.tasks, return_exceptions=True)

    # -- the provider

    def answer(self, seen: Seen) -> bytes:
        said = self.says.pop(0)
        if callable(said):
            said = said(seen)
        if isinstance(said, bytes):
            return said
        shape = next(shape for part, shape in SHAPES.items() if part in seen.target)
        return reply(shape(said))

    @property
    def asked(self) -> list[Any]:
        """The requests to the provider, as JSON."""
        return [seen.json for seen in self.server.seen if seen.body]

    # -- workflows

    async def credential(self, kind: str, **more: str) -> None:
        """Stored under its kind as id; its address is the loopback server."""
        where = {"googlePalmApi": "host", "ollamaApi": "baseUrl", "azureOpenAiApi": "endpoint"}.get(kind, "url")
        values = {"apiKey": SECRET, where: self.server.url("/v1" if where == "url" else "").rstrip("/"), **more}
        await self.sealed(kind, values)

    async def sealed(self, kind: str, values: Mapping[str, str]) -> None:
        """A credential with these values, under its kind as id."""
        sealed = self.context.secrets.seal(orjson.dumps(dict(values)))
        await self.store.put_credential(Credential(kind, kind, kind, sealed, 0, 0))

    async def save(self, document: Document, workflow_id: str = "0197a000-0000-7000-8000-000000000001") -> Workflow:
        await self.store.add_workflow(
            StoredWorkflow(workflow_id, str(document["name"]), True, 1, document, 0, 0), [], None
        )
        return self.context.port(WorkflowReader).parse(document, id=workflow_id, version=1, active=True)

    async def run(self, document: Document, *items: Mapping[str, Any], engine: EmbeddedEngine | None = None) -> Outcome:
        """Run a workflow that is not saved."""
        return await self.ended(self.context.port(WorkflowReader).parse(document), *items, engine=engine)

    async def ended(
        self, workflow: Workflow, *items: Mapping[str, Any], engine: EmbeddedEngine | None = None
    ) -> Outcome:
        return await self.started(workflow, [{"json": dict(item)} for item in items], engine)

    async def started(self, workflow: Workflow, items: Items, engine: EmbeddedEngine | None = None) -> Outcome:
        engine = engine or self.engine()
        self.context.ports["Engine"] = engine
        start = next(iter(workflow.nodes))
        execution = engine.submit(ExecutionRequest(workflow=workflow, mode="manual", start=start, items=items))
        self.last = execution.id
        outcome = await asyncio.wait_for(execution.finished, 20)
        await asyncio.wait_for(execution.stored, 20)
        return outcome

    async def records(self) -> list[NodeRecord]:
        """Of the execution that ran last."""
        found = await self.store.execution(self.last)
        assert found is not None
        return node_records(found.steps)

    async def items(self, document: Document, *items: Mapping[str, Any]) -> list[Any]:
        """The JSON of the last node's items; the execution must succeed."""
        outcome = await self.run(document, *items)
        assert outcome.status == "success", outcome.failure
        return [item["json"] for item in outcome.items]

    async def failure(self, document: Document, *items: Mapping[str, Any]) -> str:
        outcome = await self.run(document, *items)
        assert outcome.status == "failed"
        assert outcome.failure is not None
        assert SECRET not in outcome.failure.message
        return outcome.failure.message


def node(name: str, type: str, parameters: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """type: of the langchain package, unless it has a namespace."""
    written = type if "." in type else f"@n8n/n8n-nodes-langchain.{type}"
    return {"id": name, "name": name, "type": written, "parameters": dict(parameters or {}), "position": [0, 0], **more}


def model(kind: str = "lmChatOpenAi", credential: str = "openAiApi", **parameters: Any) -> dict[str, Any]:
    return node("Model", kind, parameters, typeVersion=1.2, credentials={credential: {"id": credential, "name": "c"}})


def flow(*main: dict[str, Any], parts: Sequence[tuple[dict[str, Any], str, str]] = ()) -> Document:
    """A chain of nodes behind a start; parts: node, kind of wire, name of the node that it serves."""
    start = node("Start", "n8n-nodes-base.manualTrigger")
    chain = [start, *main]
    connections: dict[str, Any] = {
        left["name"]: {"main": [[{"node": right["name"], "type": "main", "index": 0}]]}
        for left, right in zip(chain, main, strict=False)
    }
    nodes = list(chain)
    for part, kind, target in parts:
        if part not in nodes:
            nodes.append(part)
        wires = connections.setdefault(part["name"], {}).setdefault(kind, [[]])
        wires[0].append({"node": target, "type": kind, "index": 0})
    return {"name": "W", "nodes": nodes, "connections": connections}


def open_ai(said: Said) -> object:
    calls = [
        {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
        for place, (name, arguments) in enumerate(said.get("calls", ()))
    ]
    message = {"role": "assistant", "content": said.get("text"), "refusal": said.get("refusal")}
    if calls:
        message["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    return {
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }


def anthropic(said: Said) -> object:
    blocks: list[object] = [{"type": "text", "text": said["text"]}] if said.get("text") else []
    for place, (name, arguments) in enumerate(said.get("calls", ())):
        blocks.append({"type": "tool_use", "id": f"c{place}", "name": name, "input": arguments})
    reason = "refusal" if said.get("refusal") else "tool_use" if said.get("calls") else "end_turn"
    return {
        "model": "m",
        "content": blocks,
        "stop_reason": reason,
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }


def gemini(said: Said) -> object:
    if said.get("refusal"):
        return {"promptFeedback": {"blockReason": "SAFETY"}}
    parts: list[object] = [{"text": said["text"]}] if said.get("text") else []
    parts += [
        {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": "sig"}
        for name, arguments in said.get("calls", ())
    ]
    return {
        "modelVersion": "m",
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
    }


def ollama(said: Said) -> object:
    message = {"role": "assistant", "content": said.get("text", "")}
    calls = [{"function": {"name": name, "arguments": arguments}} for name, arguments in said.get("calls", ())]
    return {"model": "m", "message": {**message, "tool_calls": calls}, "prompt_eval_count": 7, "eval_count": 3}


def _text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def embeddings(said: object) -> object:
    return said


SHAPES: Mapping[str, Callable[[Any], object]] = {
    "/chat/completions": open_ai,
    "/messages": anthropic,
    ":generateContent": gemini,
    "/api/chat": ollama,
    "/": embeddings,
}
