"""A host that has joined the store since this one looked has its things found at once."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.hosts import Host, HostResources, OnlyHost
from jackfield.http.hosts.resource_index import ResourceIndex
from jackfield.http.hosts.router import HostRouter

THERE = Host("there", "", ["agents"], id="2")


class Joined(OnlyHost):
    """Another one is known after one more look."""

    remembers_others = False

    def __init__(self, *, shares: bool) -> None:
        super().__init__(Host("here", "", ["agents"], id="1"))
        self.shares = shares
        self.found: list[Host] = []

    @property
    def others(self) -> Sequence[Host]:
        return self.found

    async def look_again(self) -> None:
        self.found = [THERE]


class Router(HostRouter):
    """Every other host has everything. passed: who got requests."""

    def __init__(self, hosts: Joined, *, has: bool) -> None:
        async def has_it(name: str) -> bool:
            return has

        self._hosts = hosts  # type: ignore[assignment]
        self._index = ResourceIndex([HostResources("thing", has_it, paths=("/api/things",))])
        self.passed: list[str] = []

    async def find(self, kind: str, name: str) -> Sequence[Host]:
        assert (kind, name) == ("thing", "one")
        return self._hosts.others

    async def _pass(
        self, host: Host, scope: Scope, receive: Receive, send: Send, thing: tuple[str, str] = ("", "")
    ) -> None:
        self.passed.append(host.name)


async def answered(router: Router, path: str = "/api/things/one", method: str = "PATCH") -> list[str]:
    """Who answers."""

    async def here(scope: Scope, receive: Receive, send: Send) -> None:
        router.passed.append("here")

    async def nothing(*_: object) -> None: ...

    scope: Scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    scope["jackfield.principal"] = object()
    await router.around(scope, here)(scope, nothing, nothing)  # type: ignore[arg-type]
    return router.passed


async def test_a_thing_that_is_not_here_is_looked_for_at_hosts_that_have_just_come() -> None:
    assert await answered(Router(Joined(shares=True), has=False)) == ["there"]


async def test_nobody_is_looked_for_in_vain() -> None:
    for hosts, has, path in (
        (Joined(shares=True), True, "/api/things/one"),
        (Joined(shares=False), False, "/api/things/one"),
        (Joined(shares=True), False, "/api/others"),
    ):
        assert await answered(Router(hosts, has=has), path) == ["here"]
        assert not hosts.found


async def test_a_list_asks_who_has_just_come() -> None:
    hosts = Joined(shares=True)
    router = Router(hosts, has=False)
    router._index = ResourceIndex(
        [HostResources("thing", _nothing_here, paths=("/api/things",), lists=("/api/things",))]
    )
    await answered(router, "/api/things", "GET")
    assert hosts.found == [THERE]


async def _nothing_here(name: str) -> bool:
    return False
