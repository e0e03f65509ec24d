"""A running daemon, through its management API."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jackfield.api.daemon import DaemonAbsent
from jackfield.api.jsontext import Json
from jackfield.api.management import ManagementClient
from jackfield.api.workflows import Document
from jackfield_workflows.documents.identities import known_id

PAGE = 100


def at_address(config_dir: Path, url: str, api_key: str | None) -> RemoteWorkflows:
    return RemoteWorkflows(ManagementClient(config_dir, endpoint=url, api_key=api_key))


class RemoteWorkflows:
    """`SavedWorkflows` of a daemon. An async context manager."""

    def __init__(self, daemon: ManagementClient) -> None:
        self._daemon = daemon

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._daemon.__exit__, kind, error, trace)

    async def rows(self) -> list[Mapping[str, Json]]:
        found: list[Mapping[str, Json]] = []
        while True:
            page = await self.ask("GET", "/workflows", params={"offset": len(found), "limit": PAGE})
            found += page["data"]
            if not page["data"] or len(found) >= page["total"]:
                return found

    async def read(self, workflow_id: str) -> Document:
        return await self.ask("GET", f"/workflows/{known_id(workflow_id, 'workflow')}")

    async def put(self, documents: Sequence[Json], *, partial: bool) -> Mapping[str, Json]:
        query = {"partial": "true"} if partial else {}
        return await self.ask("POST", "/workflows/import", params=query, json=list(documents), refused="results")

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        json: Any = None,  # whatever is JSON
        refused: str = "",
    ) -> dict[str, Any]:  # an answer of the API, whose shape its routes state
        """The answer's JSON. refused: a key by which a refusal is an answer too. Raises `JackfieldError`."""
        query = {name: str(value) for name, value in (params or {}).items()}
        try:
            found = await asyncio.to_thread(self._daemon.ask, method, path, query=query, body=json, refused=refused)
        except DaemonAbsent:
            raise DaemonAbsent(
                f"The daemon at {self._daemon.base} does not answer; if it listens elsewhere, say where "
                "with --url or JACKFIELD_DAEMON_ENDPOINT."
            ) from None
        return found if isinstance(found, dict) else {}
