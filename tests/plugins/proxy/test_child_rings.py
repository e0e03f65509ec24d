"""Nothing that is left of a request waits for the collector of rings: it would keep the body, of megabytes at times."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from proxy_lab import ASKED, Provider_, failing, plan, proxy_of, until, upstream

from jackfield_proxy.child.incoming.client_request import ClientRequest
from jackfield_proxy.plan import ProxyLimits

QUICK = ProxyLimits(retries=0, stop_grace=0.0)


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def left() -> int:
    return sum(type(one) is ClientRequest for one in gc.get_objects())


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize(("family", "status"), [("anthropic", 200), ("anthropic", 503), ("openai", 400)])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_request_leaves_no_ring(family: str, status: int, stream: bool) -> None:
    async with Provider_().serving() as north:
        if status != 200:
            north.answer = failing(status)
        async with proxy_of(plan({"north": upstream(north, family=family)}, limits=QUICK)) as proxy:
            answer = await proxy.client.post("/v1/messages", json={**ASKED, "stream": stream})
            await answer.read()
            assert answer.status == status
            await until(lambda: not left())
