"""Whatever a key with limits asks of a provider is reserved, and settled once; what costs nothing takes no tokens."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp import web
from proxy_lab import ASKED, VIRTUAL, Provider_, Proxy, plan, proxy_of, until, upstream

from jackfield.api.gateway import CallerPass, StoredObject

KEY = {"Authorization": f"Bearer {VIRTUAL}"}
SAID = {"model": "m", "input": "hello"}
GOOD = {"id": "x_1", "object": "list", "data": [], "input_tokens": 3}


async def answer(_: web.BaseRequest) -> web.StreamResponse:
    return web.json_response(GOOD)


async def asked(proxy: Proxy, method: str, path: str, body: Any) -> int:
    async with proxy.client.request(method, path, json=body, headers=KEY) as found:
        await found.read()
        return found.status


@pytest.mark.parametrize(
    ("family", "method", "path", "body", "spends"),
    [
        ("anthropic", "POST", "/v1/messages", ASKED, True),
        ("anthropic", "POST", "/v1/messages/count_tokens", ASKED, False),
        ("anthropic", "GET", "/v1/messages/batches", None, False),
        ("openai", "GET", "/v1/files", None, False),
        ("openai", "POST", "/v1/embeddings", SAID, True),
        ("openai", "POST", "/v1/vector_stores", {"name": "n"}, False),
        ("openai", "POST", "/v1/responses/input_tokens", SAID, False),
        ("openai", "DELETE", "/v1/files/x_1", None, False),
    ],
)
async def test_each_request_of_a_key_with_limits_is_reserved_and_settled(
    family: str, method: str, path: str, body: Any, spends: bool
) -> None:
    async with Provider_().serving() as north:
        north.answer = answer
        async with proxy_of(plan({"north": upstream(north, family=family, native=True)}, keys=True)) as proxy:
            proxy.pipe.caller = CallerPass("k", metered=True)
            proxy.pipe.kept["x_1"] = StoredObject("x_1", "p", "north", "")
            assert await asked(proxy, method, path, body) == 200
            await until(lambda: proxy.pipe.served)
            (planned,) = proxy.pipe.planned
            assert (planned.key, planned.spends, planned.input + planned.output > 0) == ("k", spends, spends)
            assert [(one.id, one.key, one.status) for one in proxy.pipe.served] == [(planned.request, "k", 200)]


async def test_a_profiles_own_budget_is_not_asked_for_what_costs_nothing() -> None:
    async with Provider_().serving() as north:
        north.answer = answer
        async with proxy_of(plan({"north": upstream(north)}, keys=True, budgeted=True)) as proxy:
            assert await asked(proxy, "POST", "/v1/messages/count_tokens", ASKED) == 200
            assert await asked(proxy, "GET", "/v1/messages/batches", None) == 200
            assert proxy.pipe.planned == []
