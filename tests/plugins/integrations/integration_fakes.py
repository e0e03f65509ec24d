"""A node run without an engine: parameters are given per item, expressions do not exist."""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo, NodeError, NodeType
from jackfield.api.workflows import Items, Node, Workflow, WorkflowSettings
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.context import FakeContext, made
from jackfield_integrations.catalogue import node_types
from jackfield_integrations.settings import IntegrationSettings

LOOPBACK = {"allowed_hosts": ["127.0.0.1", "localhost"]}


def rows(*given: Mapping[str, Json]) -> Items:
    return [{"json": dict(row)} for row in given]


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


@dataclass
class FakeRun:
    """What these nodes use of `NodeRun`."""

    kind: NodeType
    node: Node
    items: Items
    per_item: Sequence[Mapping[str, Json]]
    credentials: Mapping[str, Mapping[str, str]]
    binary: MemoryFiles
    execution: ExecutionInfo = field(
        default_factory=lambda: ExecutionInfo(
            "e1", "manual", Workflow("w", "W", 1, True, {}, {}, WorkflowSettings(), {}, {})
        )
    )
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("jackfield.test"))
    authorizations: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> Sequence[Items]:
        return [self.items]

    async def resolve(self) -> list[Any]:
        model = self.kind.parameters(self.node.version)
        made = []
        for index in range(len(self.items)):
            try:
                made.append(model.model_validate(dict(self.per_item[min(index, len(self.per_item) - 1)])))
            except ValidationError as exc:
                raise NodeError(str(exc), item=index) from exc
        return made

    async def credential(self, kind: str) -> Mapping[str, str]:
        if kind not in self.credentials:
            raise NodeError(f"The node names no stored credential of the kind {kind}.")
        return {"allowedHosts": "", **self.credentials[kind]}

    async def authorization(self, kind: str) -> Any:
        self.authorizations.append(kind)
        return f"authorization {kind}"


class Bench:
    """Runs nodes of the plugin. Loopback may be reached unless other settings are given."""

    def __init__(self, directory: Path, settings: Mapping[str, Any] = LOOPBACK, **ports: Any) -> None:
        self.context = FakeContext(directory, tables=[IntegrationSettings(**settings)], ports=dict(ports))
        self.types = {node.kind: node for node in made(node_types(self.context))}
        self.files = MemoryFiles()

    def run(
        self,
        kind: str,
        version: float | None,
        parameters: Mapping[str, Json] | Sequence[Mapping[str, Json]],
        given: Items | None = None,
        *,
        credentials: Mapping[str, Mapping[str, str]] | None = None,
        on_error: Any = "stopWorkflow",
    ) -> FakeRun:
        per_item = [parameters] if isinstance(parameters, Mapping) else parameters
        node = Node("n1", kind, f"n8n-nodes-base.{kind}", kind, version, per_item[0], on_error=on_error)
        items = rows({}) if given is None else given
        return FakeRun(self.types[kind], node, items, per_item, credentials or {}, self.files)

    async def items(self, *args: Any, **more: Any) -> Items:
        """The items of the only output."""
        run = self.run(*args, **more)
        result = await run.kind.execute(run)  # type: ignore[arg-type]  # it has what these nodes use
        assert isinstance(result, list)
        (items,) = result
        return items

    async def json(self, *args: Any, **more: Any) -> list[dict[str, Json]]:
        return [item["json"] for item in await self.items(*args, **more)]
