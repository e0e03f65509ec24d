"""Callers whom another host vouches for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from unittest.mock import AsyncMock

import pytest
from quart import Blueprint, Response

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.auth import OWNER, Principal
from jackfield.api.http import is_from_network, operation, success
from jackfield.core.areas import PublicAreas
from jackfield.core.kernel import Kernel
from jackfield.core.tables import AreaSettings, CorsSettings, DaemonSettings, ServerSettings
from jackfield.http.app import create_app
from jackfield.http.gate import Gate
from jackfield.http.hosts.scopes import caller_of
from jackfield.http.hosts.tokens import HEADER, ForwardingTokens
from jackfield.http.peer import PeerLookup

from .conftest import HOST, Client, FakePlugin, MakeKernel, a_plugin

USER = Principal("3", "root", "admin", "api_key")
PATH = "/api/nearness"
OPEN = "/ws/looks"
PUBLIC = "hooks.example"


def _nearness() -> list[Blueprint]:
    made = Blueprint("nearness", __name__)

    @made.get(PATH)
    @operation("Tell whether the caller is at another machine", scope=None)
    async def nearness() -> Response:
        return success(is_from_network())

    return [made]


async def _looks(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"seen"})


def _mounts() -> list[AsgiMount]:
    return [AsgiMount("ws/looks", _looks, "open")]


@pytest.fixture
async def beta(make_kernel: MakeKernel, remote_agents: bool) -> AsyncIterator[Client]:
    settings = {"hosts": {"name": "beta"}, "daemon": {"remote_agents": remote_agents}}
    kernel = make_kernel(settings, FakePlugin, a_plugin(jackfield_blueprints=_nearness, jackfield_asgi=_mounts))
    await kernel.start()
    yield Client(create_app(kernel))
    await kernel.stop()


@pytest.fixture
def remote_agents() -> bool:
    return False


def passed_on(kernel: Kernel, principal: Principal | None, path: str = PATH, host: str = "") -> tuple[str, str]:
    """The header of a host where this caller is at the machine itself. host: that the caller has named there."""
    headers = [(b"host", host.encode()) if host else HOST]
    scope: Scope = {"headers": headers, "client": ("127.0.0.1", 4711), "path": path, "jackfield.principal": principal}
    gate_of_alpha(kernel).check_host(scope, "agents")
    tokens = ForwardingTokens(kernel.secrets, kernel.clock, "alpha")
    return HEADER.decode(), tokens.make("beta", "GET", path.encode(), caller_of(scope))


def gate_of_alpha(kernel: Kernel) -> Gate:
    server, daemon = ServerSettings(public_hosts=[PUBLIC]), DaemonSettings(remote_agents=True)
    return Gate(
        kernel.service, PublicAreas(server, daemon, AreaSettings()), CorsSettings(), AsyncMock(), PeerLookup(), str
    )


@pytest.mark.parametrize("principal", [USER, OWNER])
async def test_a_caller_at_another_host_comes_from_another_machine(beta: Client, principal: Principal) -> None:
    local = ("127.0.0.1", 4711)
    near = await beta("GET", PATH, ("Authorization", "Bearer ada"), client=local)
    assert (near.status, near.json["data"]) == (200, False)
    far = await beta("GET", PATH, passed_on(beta.app.kernel, principal), client=local)
    assert (far.status, far.json["data"]) == (200, True)


@pytest.mark.parametrize("remote_agents", [False, True])
async def test_a_host_says_itself_whether_public_hosts_reach_it(beta: Client, remote_agents: bool) -> None:
    """The host that they have called lets them in."""
    kernel = beta.app.kernel
    answer = await beta("GET", PATH, passed_on(kernel, USER, host=PUBLIC), host=PUBLIC)
    assert answer.status == (200 if remote_agents else 403)
    assert remote_agents or "server.areas.agents" in answer.json["error"]
    service = passed_on(kernel, USER, "/api/v1/things", PUBLIC)
    assert (await beta("GET", "/api/v1/things", service)).status == 200
    assert (await beta("GET", PATH, passed_on(kernel, USER))).status == 200


@pytest.mark.parametrize("remote_agents", [False, True])
async def test_nor_do_links_that_ask_nobody_who_he_is(beta: Client, remote_agents: bool) -> None:
    kernel = beta.app.kernel
    assert (await beta("GET", OPEN, passed_on(kernel, None, OPEN))).status == 200
    answer = await beta("GET", OPEN, passed_on(kernel, None, OPEN, PUBLIC))
    assert answer.status == (200 if remote_agents else 403)
