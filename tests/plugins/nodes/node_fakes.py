"""A node run without an engine: parameters are given per item, expressions do not exist."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from jackfield.api.credentials import CredentialKind
from jackfield.api.http_client import Authorization
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.scripts import ScriptData, ScriptResult
from jackfield.api.workflows import Item, Items, Outputs
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext, made
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_credentials.authorizations import authorization
from jackfield_credentials.kinds import KINDS
from jackfield_nodes.catalogue import node_types
from jackfield_nodes.http.client import GuardedClient

PerItem = Callable[[Item], Mapping[str, Json]]


@dataclass
class CredentialRun(FakeNodeRun):
    """Credentials become authorizations as the plugin for credentials makes them."""

    kinds: Sequence[CredentialKind] = KINDS

    async def authorization(self, kind: str) -> Authorization:
        known = next((known for known in self.kinds if known.name == kind), None)
        if known is None:
            raise NodeError(f"Credentials of the kind {kind} are not available.")
        keeper: Any = None  # no test of this plugin has tokens
        return authorization(known, known.complete(await self.credential(kind)), "c1", keeper, keeper)


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
    ) -> CredentialRun:
        return CredentialRun(
            self.types[kind],
            parameters,
            items({}) if given is None else given,
            version=version,
            on_error=on_error,
            mode=mode,
            timezone=timezone,
            **extra,
        )

    async def outputs(self, run: FakeNodeRun) -> Outputs:
        result = await run.type.execute(run)
        assert isinstance(result, list)
        return result

    async def json(self, *args: Any, **kwargs: Any) -> list[list[dict[str, Json]]]:
        """The json of every item of every output."""
        return [[item["json"] for item in rows] for rows in await self.outputs(self.run(*args, **kwargs))]
