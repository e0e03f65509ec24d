"""Answers of all hosts that become one."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.hosts import Host, HostReply, HostResources, OnlyHost, StandIn
from jackfield.api.jsontext import Json
from jackfield.core.memos import LocalMemos
from jackfield.http.hosts.merging import Part, done
from jackfield.http.hosts.resource_index import ResourceIndex
from jackfield.http.hosts.router import HostRouter
from jackfield.http.hosts.scopes import target_of
from jackfield.testing.clock import FakeClock

PATH = "/api/things"


class Pair(OnlyHost):
    """This one and another one that lives, unless it is taken away."""

    others: Sequence[Host] = (Host("there", "", ["agents"], id="2"),)  # type: ignore[assignment]
    remembers_others = True
    shares = True

    async def look_again(self) -> None: ...


class Router(HostRouter):
    """Another host answers like this one. asked: what it was asked."""

    def __init__(self, resources: HostResources) -> None:
        self._hosts = Pair(Host("here", "", ["agents"], id="1"))  # type: ignore[assignment]
        self._index = ResourceIndex([resources])
        self.asked: list[bytes] = []
        self.reply: HostReply | None = HostReply(200, {"success": True, "data": {"rows": 2}})

    async def _others(self, scope: Scope, others: Sequence[Host]) -> Sequence[Part]:
        self.asked.append(target_of(scope))
        return [Part(host, self.reply) for host in others]


async def _things(scope: Scope, receive: Receive, send: Send) -> None:
    told = {"success": True, "data": {"rows": 1, "asked": target_of(scope).decode()}}
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})


async def _nothing() -> Mapping[str, object]:
    return {"type": "http.request", "body": b"", "more_body": False}


def standing(*absent: StandIn) -> HostResources:
    """Sums that hosts which are not there have told."""

    async def has(name: str) -> bool:
        return False

    async def stand_in(path: str, query: Mapping[str, str], answered: Collection[str]) -> Sequence[StandIn]:
        assert (path, query) == (PATH, {"kind": "models"})
        return [each for each in absent if each.id not in answered]

    def join(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
        return {"rows": sum(part["rows"] for part in parts)}  # type: ignore[call-overload,index,misc]

    return HostResources(
        "thing", has, joins={PATH: join}, heeded={PATH: ["limit"]}, stands_in=[PATH], stand_in=stand_in
    )


async def answered(router: Router, query: bytes = b"kind=models&limit=3", *, public: bool = False) -> dict[str, Any]:
    sent: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": PATH, "raw_path": PATH.encode(), "query_string": query}
    scope["jackfield.principal"] = object()
    scope["jackfield.public_host"] = public
    await router.around(scope, _things)(scope, _nothing, send)  # type: ignore[arg-type]
    found: dict[str, Any] = json.loads(sent[-1]["body"])
    return found


async def test_what_a_host_has_told_counts_when_it_does_not_answer_and_never_beside_its_answer() -> None:
    router = Router(standing(StandIn("there", "2", 0, {"rows": 40})))
    found = await answered(router)
    assert (found["data"]["rows"], "missing_hosts" in found, "warnings" in found) == (3, False, False)
    for reply in (None, HostReply(500, {}), HostReply(200, {"data": [1]})):
        router.reply = reply
        found = await answered(router)
        assert (found["data"]["rows"], found["missing_hosts"]) == (41, ["there"])
        assert found["warnings"] == [
            "The host there did not answer; what it has is in here as of 1970-01-01T00:00:00.000Z."
        ]


async def test_what_a_host_has_told_that_serves_no_public_host_is_not_for_who_comes_by_one() -> None:
    """It has refused him, or would have."""
    secret = StandIn("gone", "3", 0, {"rows": 100}, inside=True)
    router = Router(standing(StandIn("there", "2", 0, {"rows": 40}, inside=True), secret))
    router.reply = HostReply(403, {})
    assert (await answered(router))["data"]["rows"] == 141
    found = await answered(router, public=True)
    assert (found["data"]["rows"], found["missing_hosts"]) == (1, ["there"])
    assert found["warnings"] == ["The host there did not answer; what it has is not in here."]
    router._hosts.others = ()  # type: ignore[misc]
    found = await answered(router, public=True)
    assert (found["data"]["rows"], "missing_hosts" in found) == (1, False)


async def test_a_host_that_is_gone_counts_also_when_nobody_else_is_there() -> None:
    gone = StandIn("gone", "3", 0, {"rows": 100})
    renamed = StandIn("old name", "1", 0, {"rows": 1000})
    router = Router(standing(gone, renamed, StandIn("broken", "4", 0, None, "it is damaged")))
    for others, rows in ((Pair.others, 103), ((), 101)):
        router._hosts.others = others  # type: ignore[misc]
        found = await answered(router)
        assert (found["data"]["rows"], found["missing_hosts"]) == (rows, ["broken", "gone"])
        assert "The host broken did not answer, and it is damaged." in found["warnings"]


async def test_a_host_that_is_gone_and_had_nothing_of_it_is_not_named() -> None:
    router = Router(standing(StandIn("gone", "3", 0, None), StandIn("there", "2", 0, None)))
    found = await answered(router)
    assert (found["data"]["rows"], "missing_hosts" in found) == (3, False)
    router.reply = None
    found = await answered(router)
    assert (found["data"]["rows"], found["missing_hosts"]) == (1, ["there"])
    assert "as of 1970" in found["warnings"][0]


async def test_a_host_without_others_answers_as_it_is_asked() -> None:
    router = Router(standing())
    router._hosts.others = ()  # type: ignore[misc]
    found = await answered(router)
    assert found["data"] == {"rows": 1, "asked": f"{PATH}?kind=models&limit=3"}


def test_who_has_not_answered_may_have_done_it_all_the_same() -> None:
    """A sync of a registry takes longer than hosts wait for each other, and goes on."""
    replies = {"slow": None, "bad": HostReply(500, {}), "good": HostReply(200, {})}
    parts = [Part(Host(name, "", ["agents"]), reply) for name, reply in replies.items()]
    found = json.loads(done(b'{"success": true, "data": {}}', parts))
    assert found["missing_hosts"] == ["slow", "bad"]
    assert found["warnings"] == [
        "The host slow has not answered in time; it may still do it.",
        "The host bad did not do it; ask it again.",
    ]


class _Memos(LocalMemos):
    """Takes what every store takes, see `Memos`."""

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        assert re.fullmatch("[a-z0-9-]{1,100}", kind)
        assert re.fullmatch("[ -~]{1,200}", key)
        return await super().change_memo(kind, key, before, data, lifetime)


@pytest.mark.parametrize("name", ["plain", "Größe", "x" * 200, "x" * 201, "nul\0", "line\n", "lone \\ud800", ""])
async def test_whatever_is_made_has_a_name_that_may_be_any_text(name: str) -> None:
    """The view says what is wrong with it."""

    async def has(_: str) -> bool:
        return False

    clock, ports = FakeClock(), SimpleNamespace(get=lambda _: _Memos(clock))
    router = Router(HostResources("thing", has, makes={PATH: "name"}))
    router._kernel = SimpleNamespace(ports=ports, clock=clock)  # type: ignore[assignment]
    router._hosts.others = ()  # type: ignore[misc]
    body = f'{{"name": "{name}"}}'.encode() if "\\" in name else json.dumps({"name": name}).encode()
    sent: list[Any] = []

    async def receive() -> Mapping[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": PATH, "query_string": b"", "jackfield.principal": object()}
    await router._make(_things, scope, receive, send, router._index.makes[PATH])  # type: ignore[arg-type,union-attr]
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]


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
