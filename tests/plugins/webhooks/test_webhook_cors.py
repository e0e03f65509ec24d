"""Which pages may read the answers of a webhook."""

from __future__ import annotations

from typing import Any

import pytest

from jackfield_webhooks.authentication.callers import Origins, origins

Bench = Any
SHOP = "https://shop.example"


def asking(origin: str, method: str = "POST", names: str = "content-type, x-custom") -> dict[str, str]:
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": names,
    }


async def test_a_preflight_of_a_listed_origin(bench: Bench) -> None:
    await bench.hook("shop", options={"allowedOrigins": f"{SHOP}/, https://other.example"}, authentication="headerAuth",
                     headerName="X-Token", headerValue="right")  # fmt: skip
    answer = await bench.call("shop", "OPTIONS", headers=asking(SHOP))
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == SHOP
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-allow-headers"] == "content-type, x-custom"
    assert answer.headers["vary"] == "Origin"
    assert "content-length" not in answer.headers
    assert bench.engine.requests == []


@pytest.mark.parametrize(
    "origin", ["https://evil.example", f"{SHOP}.evil.example", "http://shop.example", f"{SHOP}:444", "null", ""]
)
async def test_another_origin_gets_no_permission(bench: Bench, origin: str) -> None:
    await bench.hook("shop", options={"allowedOrigins": SHOP})
    for answer in (
        await bench.call("shop", "OPTIONS", headers=asking(origin)),
        await bench.call("shop", headers={"Origin": origin}),
    ):
        assert answer.status in (200, 204)
        assert not any(name.startswith("access-control") for name in answer.headers)


async def test_real_calls_and_refusals_carry_the_permission(bench: Bench) -> None:
    await bench.hook("shop", options={"allowedOrigins": SHOP})
    answer = await bench.call("shop", headers={"Origin": SHOP})
    assert answer.headers["access-control-allow-origin"] == SHOP
    bad = {"Origin": SHOP, "content-type": "application/json"}
    answer = await bench.call("shop", body=b"{", headers=bad)
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (400, SHOP)


async def test_without_the_option_no_page_may_read(bench: Bench) -> None:
    await bench.hook("plain")
    answer = await bench.call("plain", "OPTIONS", headers=asking(SHOP))
    assert (answer.status, answer.headers["allow"]) == (204, "POST, OPTIONS")
    assert not any(name.startswith("access-control") for name in answer.headers)


async def test_a_star_allows_everyone(bench: Bench) -> None:
    await bench.hook("open", options={"allowedOrigins": "*"})
    answer = await bench.call("open", "OPTIONS", headers=asking("https://any.example"))
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_a_preflight_names_every_method_of_the_path(bench: Bench) -> None:
    await bench.hook("many", httpMethod=["GET", "PUT"], options={"allowedOrigins": "*"})
    answer = await bench.call("many", "OPTIONS", headers=asking(SHOP, "PUT"))
    assert answer.headers["access-control-allow-methods"] == "GET, PUT"


async def test_a_preflight_of_nothing(bench: Bench) -> None:
    await bench.hook("asleep", active=False, options={"allowedOrigins": "*"})
    assert (await bench.call("none", "OPTIONS", headers=asking(SHOP))).status == 404
    assert (await bench.call("asleep", "OPTIONS", headers=asking(SHOP))).status == 503
    assert (await bench.test_call("asleep", "OPTIONS", headers=asking(SHOP))).status == 204


def test_asked_names_are_echoed_only_if_they_are_names() -> None:
    echoed = dict(Origins(everyone=True).preflight(SHOP, ["GET"], "a\r\nx: y"))
    assert b"access-control-allow-headers" not in echoed
    assert origins({"allowedOrigins": " , "}, {}) is None
