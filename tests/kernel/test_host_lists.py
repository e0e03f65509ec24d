"""Answers of all hosts that become one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.hosts import Host, HostReply, HostResources, OnlyHost
from jackfield.api.jsontext import Json
from jackfield.http.hosts.merging import Part
from jackfield.http.hosts.router import HostRouter, _Index
from jackfield.http.hosts.scopes import target_of

PATH = "/api/things"


class Router(HostRouter):
    """Another host answers like this one. asked: what it was asked."""

    def __init__(self, resources: HostResources) -> None:
        self._hosts = OnlyHost(Host("here", "", ["agents"]))
        self._index = _Index([resources])
        self.asked: list[bytes] = []

    async def _others(self, scope: Scope) -> Sequence[Part]:
        self.asked.append(target_of(scope))
        return [Part(Host("there", "", ["agents"]), HostReply(200, {"success": True, "data": {"rows": 2}}))]


async def _things(scope: Scope, receive: Receive, send: Send) -> None:
    told = {"success": True, "data": {"rows": 1, "asked": target_of(scope).decode()}}
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})


async def _nothing() -> Mapping[str, object]:
    return {"type": "http.request", "body": b"", "more_body": False}


async def test_what_the_join_heeds_alone_is_told_to_no_host() -> None:
    def join(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
        return {"parts": [*parts], "limit": query.get("limit")}

    async def has(name: str) -> bool:
        return False

    router = Router(HostResources("thing", has, joins={PATH: join}, heeded={PATH: ["limit"]}))
    sent: list[Mapping[str, object]] = []

    async def send(message: Mapping[str, object]) -> None:
        sent.append(message)

    query = b"kind=models&limit=3&day=%C3%A4"
    scope = {"type": "http", "method": "GET", "path": PATH, "raw_path": PATH.encode(), "query_string": query}
    await router._list(_things, scope, _nothing, send)  # type: ignore[arg-type]
    target = f"{PATH}?kind=models&day=%C3%A4"
    assert router.asked == [target.encode()]
    found = json.loads(sent[-1]["body"])["data"]  # type: ignore[arg-type]
    assert found == {"parts": [{"rows": 1, "asked": target}, {"rows": 2}], "limit": "3"}
