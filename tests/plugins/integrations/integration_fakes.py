"""A node run without an engine: parameters are given per item, expressions do not exist."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Item, Items
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.context import FakeContext, made
from jackfield.testing.node_runs import FakeNodeRun
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
class NotedRun(FakeNodeRun):
    """Notes which authorizations are asked for."""

    asked: list[str] = field(default_factory=list)

    async def authorization(self, kind: str) -> Any:
        self.asked.append(kind)
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
    ) -> NotedRun:
        def parameters_of(item: Item) -> Mapping[str, Json]:
            pairing: Any = item.get("pairedItem", {"item": 0})
            return per_item[min(pairing["item"], len(per_item) - 1)]

        per_item = [parameters] if isinstance(parameters, Mapping) else parameters
        return NotedRun(
            self.types[kind],
            parameters if isinstance(parameters, Mapping) else parameters_of,
            rows({}) if given is None else given,
            version=version,
            credentials=credentials or {},
            binary=self.files,
            on_error=on_error,
        )

    async def items(self, *args: Any, **more: Any) -> Items:
        """The items of the only output."""
        run = self.run(*args, **more)
        result = await run.type.execute(run)
        assert isinstance(result, list)
        (items,) = result
        return items

    async def json(self, *args: Any, **more: Any) -> list[dict[str, Json]]:
        return [item["json"] for item in await self.items(*args, **more)]
