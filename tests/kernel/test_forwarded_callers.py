"""Callers whom another host vouches for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from quart import Blueprint

from jackfield.api.auth import OWNER, Principal
from jackfield.api.http import is_from_network, operation, success
from jackfield.core.kernel import Kernel
from jackfield.http.app import create_app
from jackfield.http.hosts.scopes import caller_of
from jackfield.http.hosts.tokens import HEADER, ForwardingTokens

from .conftest import HOST, Client, FakePlugin, MakeKernel, a_plugin

USER = Principal("3", "root", "admin", "api_key")
PATH = "/api/nearness"


def _nearness() -> list[Blueprint]:
    made = Blueprint("nearness", __name__)

    @made.get(PATH)
    @operation("Tell whether the caller is at another machine", scope=None)
    async def nearness() -> object:
        return success(is_from_network())

    return [made]


@pytest.fixture
async def beta(make_kernel: MakeKernel) -> AsyncIterator[Client]:
    kernel = make_kernel({"hosts": {"name": "beta"}}, FakePlugin, a_plugin(jackfield_blueprints=_nearness))
    await kernel.start()
    yield Client(create_app(kernel))
    await kernel.stop()


def passed_on(kernel: Kernel, principal: Principal) -> tuple[str, str]:
    """The header of a host where this caller is at the machine itself."""
    scope = {"headers": [HOST], "client": ("127.0.0.1", 4711), "path": PATH, "jackfield.principal": principal}
    tokens = ForwardingTokens(kernel.secrets, kernel.clock, "alpha")
    return HEADER.decode(), tokens.make("beta", "GET", PATH.encode(), caller_of(scope))


@pytest.mark.parametrize("principal", [USER, OWNER])
async def test_a_caller_at_another_host_comes_from_another_machine(beta: Client, principal: Principal) -> None:
    local = ("127.0.0.1", 4711)
    near = await beta("GET", PATH, ("Authorization", "Bearer ada"), client=local)
    assert (near.status, near.json["data"]) == (200, False)
    far = await beta("GET", PATH, passed_on(beta.app.kernel, principal), client=local)
    assert (far.status, far.json["data"]) == (200, True)
