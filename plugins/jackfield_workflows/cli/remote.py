"""A running daemon, through its management API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.plain_http import HttpFailed, PlainClient
from jackfield.api.records import record
from jackfield.api.workflows import Document
from jackfield_workflows.documents.identities import known_id

PAGE = 100
TIMEOUT = 60.0
"""Seconds for one request; runs are polled, so that none takes longer."""
NO_KEY = (
    "The daemon wants to know who asks: set JACKFIELD_API_KEY (or give --api-key) to a key of POST /api/v1/api-keys."
)


@record
class DaemonAddress:
    """Where it listens, and the key for it."""

    url: str
    api_key: str | None = None


def at_address(url: str, api_key: str | None) -> RemoteWorkflows:
    return RemoteWorkflows(DaemonAddress(url, api_key))


class RemoteWorkflows:
    """`SavedWorkflows` of a daemon. An async context manager."""

    def __init__(self, daemon: DaemonAddress) -> None:
        headers = {"X-API-Key": daemon.api_key} if daemon.api_key else {}
        self._url = daemon.url.rstrip("/")
        self._client = PlainClient(
            base_url=f"{self._url}/api/v1",
            headers=headers,
            timeout=TIMEOUT,
            trust_environment=False,  # a proxy has no business between a command and its daemon
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

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
        content = None if json is None else jsontext.dumps(json)
        headers = {} if content is None else {"Content-Type": "application/json"}
        try:
            answer = await self._client.send(method, path, query=params, content=content, headers=headers)
        except HttpFailed as exc:
            raise JackfieldError(
                f"The daemon at {self._url} does not answer ({exc}); if it listens elsewhere, say where "
                "with --url or JACKFIELD_URL."
            ) from None
        found = _object(answer.body)
        if 200 <= answer.status < 300 or (refused and refused in found):
            return found
        raise _refusal(answer.status, found)


def _object(content: bytes) -> dict[str, Any]:
    try:
        found = jsontext.loads(content, max_depth=1000) if content else {}
    except JackfieldError:
        found = {}
    return found if isinstance(found, dict) else {}


def _refusal(status: int, body: Mapping[str, Any]) -> JackfieldError:
    if status == 401:
        return JackfieldError(NO_KEY, code=str(body.get("code", "AUTH_REQUIRED")))
    message = str(body.get("message") or f"The daemon answered with the status {status}.")
    details = body.get("details")
    kind = {400: InvalidInput, 404: NotFound, 413: InvalidInput}.get(status, JackfieldError)
    return kind(message, details=details if isinstance(details, dict) else None)
