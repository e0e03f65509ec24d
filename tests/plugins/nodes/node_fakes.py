"""A node run without an engine: parameters are given per item, expressions do not exist."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from jackfield.api.credentials import CredentialKind
from jackfield.api.http_client import Authorization
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo, NodeAnswer, NodeError, NodeType, StaticScope
from jackfield.api.scripts import ScriptData, ScriptResult
from jackfield.api.workflows import Document, Item, Items, Node, Outputs, Workflow, WorkflowSettings
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext, made
from jackfield_credentials.authorizations import authorization
from jackfield_credentials.kinds import KINDS
from jackfield_nodes.catalogue import node_types
from jackfield_nodes.http.client import GuardedClient

PerItem = Callable[[Item], Mapping[str, Json]]


def items(*rows: Mapping[str, Json]) -> Items:
    return [{"json": dict(row)} for row in rows]


def workflow(timezone: str | None = None) -> Workflow:
    return Workflow("w1", "Test", 1, True, {}, {}, WorkflowSettings(timezone=timezone), {}, {})


@dataclass
class FakeRun:
    """Implements `NodeRun`."""

    kind: NodeType
    node: Node
    given: Items
    per_item: PerItem
    execution: ExecutionInfo
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    script: ScriptResult = field(default_factory=lambda: ScriptResult(None))
    sub_workflow: Callable[[Any, Items], Items] = lambda _, given: given
    started: list[tuple[str | Document, Items]] = field(default_factory=list)
    answers: list[NodeAnswer] = field(default_factory=list)
    scripts: list[tuple[str, str, bool]] = field(default_factory=list)
    late: Callable[[Mapping[str, Json], Mapping[str, Json]], dict[str, Json]] = lambda templates, _: dict(templates)
    kinds: Sequence[CredentialKind] = KINDS
    credential_reads: list[str] = field(default_factory=list)
    context: MutableMapping[str, Json] = field(default_factory=dict)
    earlier: Sequence[Items] = ()
    """What input 0 got in the node's earlier runs."""
    statics: dict[str, dict[str, Json]] = field(default_factory=dict)
    others: Sequence[Items] = ()
    """The items of the inputs after the first."""
    binary: MemoryFiles = field(default_factory=MemoryFiles)
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("jackfield.test"))

    @property
    def inputs(self) -> Sequence[Items]:
        return [self.given, *self.others]

    @property
    def items(self) -> Items:
        return self.given

    @property
    def run_index(self) -> int:
        return len(self.earlier)

    def items_of_run(self, index: int) -> Items:
        return [*self.earlier, self.given][index]

    async def static_data(self, scope: StaticScope) -> MutableMapping[str, Json]:
        return self.statics.setdefault(scope, {})

    def _model(self, item: Item, index: int) -> Any:
        try:
            return self.kind.parameters(self.node.version).model_validate(dict(self.per_item(item)))
        except ValidationError as exc:
            raise NodeError(str(exc), item=index) from exc

    async def resolve(self) -> list[Any]:
        return [self._model(item, index) for index, item in enumerate(self.given)]

    async def resolve_first(self) -> Any:
        return self._model(self.given[0] if self.given else {"json": {}}, 0)

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        self.scripts.append((language, source, each))
        return self.script

    async def run_workflow(self, workflow: str | Document, items: Items) -> Items:
        return self.sub_workflow(workflow, items)

    async def start_workflow(self, workflow: str | Document, items: Items) -> None:
        self.started.append((workflow, items))

    async def credential(self, kind: str) -> Mapping[str, str]:
        self.credential_reads.append(kind)
        if kind not in self.credentials:
            raise NodeError(f"The node has no credential of the kind {kind}.")
        return self.credentials[kind]

    async def authorization(self, kind: str) -> Authorization:
        known = next((known for known in self.kinds if known.name == kind), None)
        if known is None:
            raise NodeError(f"Credentials of the kind {kind} are not available.")
        keeper: Any = None  # no test of this plugin has tokens
        return authorization(known, known.complete(await self.credential(kind)), "c1", keeper, keeper)

    async def evaluate(
        self, templates: Mapping[str, Json], *, item: int, extra: Mapping[str, Json] | None = None
    ) -> dict[str, Json]:
        return self.late(templates, extra or {})

    def answer(self, answer: NodeAnswer) -> None:
        self.answers.append(answer)


class PythonRegexes:
    """Stands for the JavaScript engine where a test needs regular expressions."""

    language = "javaScript"

    async def evaluate(self, sources: Sequence[str], data: ScriptData, items: Sequence[int]) -> list[list[Any]]:
        import re

        rows: list[list[Any]] = []
        for index in items:
            row: Any = data.input[index]["json"]
            try:
                flags = re.IGNORECASE if "i" in row["flags"] else 0
                if "by" in row:
                    rows.append(
                        [re.sub(row["pattern"], row["by"].replace("$", "\\"), row["text"], count=1, flags=flags)]
                    )
                else:
                    rows.append([re.search(row["pattern"], row["text"], flags) is not None])
            except re.error:
                rows.append([None])
        return rows

    async def run(self, source: str, data: ScriptData, *, each: bool, timeout: float) -> ScriptResult:
        raise AssertionError("nodes run scripts through the run")

    async def close(self) -> None:
        return


class KeepingContext(FakeContext):
    """Keeps its background tasks, so that a test can end them."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.tasks: list[asyncio.Task[None]] = []

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        self.tasks.append(super().spawn(name, coroutine))
        return self.tasks[-1]


class Bench:
    """Runs nodes of the plugin."""

    def __init__(self, directory: Path, *tables: BaseModel, engines: Sequence[str] = ("javaScript",)) -> None:
        self.clock = FakeClock()
        self.context = KeepingContext(
            directory,
            clock=self.clock,
            tables=tables,
            ports={"jackfield_script_engines": {name: PythonRegexes() for name in engines}},
        )
        self.context.ports["HttpClient"] = GuardedClient(self.context)
        self.types = {node.kind: node for node in made(node_types(self.context))}

    async def close(self) -> None:
        for task in self.context.tasks:
            task.cancel()
        await asyncio.gather(*self.context.tasks, return_exceptions=True)

    def run(
        self,
        kind: str,
        version: float | None,
        parameters: Mapping[str, Json] | PerItem,
        given: Items | None = None,
        *,
        on_error: Any = "stopWorkflow",
        mode: str = "webhook",
        timezone: str | None = None,
        **extra: Any,
    ) -> FakeRun:
        raw = {} if callable(parameters) else parameters
        node = Node("n1", kind, f"jackfield.{kind}", kind, version, raw, on_error=on_error)
        return FakeRun(
            self.types[kind],
            node,
            items({}) if given is None else given,
            parameters if callable(parameters) else lambda _: raw,
            ExecutionInfo("e1", mode, workflow(timezone)),
            **extra,
        )

    async def outputs(self, run: FakeRun) -> Outputs:
        result = await run.kind.execute(run)
        assert isinstance(result, list)
        return result

    async def json(self, *args: Any, **kwargs: Any) -> list[list[dict[str, Json]]]:
        """The json of every item of every output."""
        return [[item["json"] for item in rows] for rows in await self.outputs(self.run(*args, **kwargs))]
