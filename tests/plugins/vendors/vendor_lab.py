"""Runs nodes of descriptions against a loopback server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from loopback import Loopback
from node_fakes import CredentialRun, KeepingContext

from jackfield.api.credentials import CredentialKind
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.workflows import Item, Items
from jackfield.testing.binary import MemoryFiles
from jackfield.testing.node_runs import items
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings
from jackfield_vendors.catalogue import SHIPPED
from jackfield_vendors.credentials import kind_of
from jackfield_vendors.library import read
from jackfield_vendors.node import VendorNode

CREDENTIALS: Mapping[str, Mapping[str, str]] = {
    "slackApi": {"accessToken": "xoxb-secret"},
    "telegramApi": {"accessToken": "123:secret"},
    "notionApi": {"apiKey": "ntn-secret"},
    "githubApi": {"accessToken": "ghp-secret"},
}


class Lab:
    def __init__(self, directory: Path, server: Loopback) -> None:
        self.directory = directory
        self.server = server
        self.context = KeepingContext(directory, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
        self.context.ports["HttpClient"] = GuardedClient(self.context)
        self.files = MemoryFiles()
        self.kinds: dict[str, CredentialKind] = {}
        self.context.ports["jackfield_credential_kinds"] = self.kinds

    def node(self, path: Path, base: str | None = None) -> VendorNode:
        description = read(path)
        if description.node is not None and base is not None:
            moved = description.node.model_copy(update={"base_url": base})
            description = description.model_copy(update={"node": moved})
        self.kinds.update({kind.name: kind for kind in map(kind_of, description.credentials)})
        made = VendorNode.made(self.context, description)
        assert made is not None
        return made

    async def run(
        self,
        kind: str,
        version: float | None,
        parameters: Mapping[str, Json],
        given: Items | None = None,
        *,
        node: VendorNode | None = None,
        each: Callable[[Item], Mapping[str, Json]] | None = None,
        **more: Any,
    ) -> Items:
        """The output of the shipped node of this kind, whose service is the loopback server. each: the parameters for
        an item, instead of the same for all."""
        server = self.server.url("")
        base = {"telegram": f"{server}/bot{{$credential.accessToken}}"}.get(kind, server)
        made = node or self.node(SHIPPED / f"{kind}.toml", base)
        run = CredentialRun(
            made,
            each or parameters,
            items({}) if given is None else given,
            version=version,
            credentials=CREDENTIALS,
            kinds=list(self.kinds.values()),
            binary=self.files,
        )
        run.node = replace(run.node, **more)
        outputs = await made.execute(run)
        assert isinstance(outputs, list)
        return outputs[0]

    async def json(self, *args: Any, **more: Any) -> list[dict[str, Json]]:
        return [item["json"] for item in await self.run(*args, **more)]

    async def close(self) -> None:
        for task in self.context.tasks:
            task.cancel()
        await asyncio.gather(*self.context.tasks, return_exceptions=True)
