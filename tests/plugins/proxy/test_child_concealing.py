"""A provider that repeats its own key tells it to nobody."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import ASKED, KEY, Provider_, daemon_of, plan, profile, proxy_of, upstream
from scripted import Say, chat_stream

from jackfield_proxy.child.upstream.concealing import Concealer, concealer_of
from jackfield_proxy.daemon.records import CountedAnswers, Records, shown
from jackfield_proxy.messages import ServedRequest
from jackfield_proxy.plan import Upstream

STREAM = {**ASKED, "stream": True}
SSE = {"Content-Type": "text/event-stream"}
ERROR = {"type": "error", "error": {"type": "authentication_error", "message": f"Incorrect API key provided: {KEY}."}}


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def saying(body: bytes, status: int = 401, **headers: str) -> Any:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=status, body=body, headers={"Content-Type": "application/json", **headers})

    return answer


SAID = json.dumps(ERROR).encode()


@pytest.mark.parametrize("family", ["anthropic", "openai"])
@pytest.mark.parametrize(
    "answer",
    [
        saying(SAID),
        saying(SAID, **{"x-said": KEY}),
        saying(gzip.compress(SAID), **{"Content-Encoding": "gzip"}),
        saying(b"event: error\ndata: " + SAID + b"\n\n", 200, **SSE),
    ],
    ids=["plain", "header", "compressed", "stream"],
)
async def test_a_refusal_has_no_key(north: Provider_, family: str, answer: Any) -> None:
    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family=family)})) as proxy:
        async with proxy.client.post("/v1/messages", json=STREAM) as found:
            body, headers = await found.read(), str(found.headers)
        (served,) = proxy.pipe.served
    assert found.status == 401
    assert KEY not in body.decode() + headers + str(served)
    assert "Incorrect API key provided: ***." in body.decode()
    assert served.error == "Incorrect API key provided: ***."


async def test_what_cannot_be_read_does_not_pass(north: Provider_) -> None:
    north.answer = saying(b"\x0b\x02", 400, **{"Content-Encoding": "br"})
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, body = await proxy.post(ASKED)
    assert (status, json.loads(body)["error"]["message"]) == (400, "The provider answered with status 400.")


async def test_an_error_in_the_middle_of_a_stream_has_no_key_where_it_is_translated(north: Provider_) -> None:
    begun, read = chat_stream(Say("pong")).body, asyncio.Event()
    assert isinstance(begun, bytes)

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers=SSE)
        await response.prepare(request)
        await response.write(b"\n\n".join([*begun.split(b"\n\n")[:2], b""]))
        await read.wait()
        await response.write(b"data: " + SAID + b"\n\n")
        return response

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        async with asyncio.timeout(10), proxy.client.post("/v1/messages", json=STREAM) as found:
            body = await found.content.readany()
            read.set()
            body += await found.read()
        (served,) = proxy.pipe.served
    assert (found.status, KEY in body.decode() + str(served)) == (200, False)
    assert b"provided: ***." in body


async def test_records_of_the_daemon_have_no_key(tmp_path: Path) -> None:
    context = daemon_of(tmp_path, profile())
    context.secrets.redact(KEY)
    said = ServedRequest("r", 1, "chat", "m", "north", "m", 401, 5, False, error=f"no {KEY}")
    request = await Records(context, "p", CountedAnswers(), 10).take(said, "agent")
    assert shown(request)["error"] == "no ***"


def test_credentials_of_clouds_of_agents_and_of_manifests_are_known() -> None:
    aws = Upstream("n", "anthropic", "http://x", keys=("ACCESS:secret-part:session:part",), auth="aws-sigv4")
    assert concealer_of(aws, (), ()).text("secret-part, session:part, ACCESS") == "***, ***, ACCESS"
    other = Upstream("n", "openai", "http://x/?api-version=2024-10-21&key=in-query", headers={"x-own-key": "in-header"})
    found = concealer_of(other, [("authorization", "Bearer of-the-agent")], ["of-google"])
    words = "in-query in-header of-the-agent of-google 2024-10-21"
    assert found.text(words) == "*** *** *** *** 2024-10-21"


@given(st.text(min_size=6))
def test_a_key_is_found_as_it_stands_and_as_json_writes_it(key: str) -> None:
    concealer = Concealer([key])
    assert concealer.body(key.encode()) == b"***"
    for said in (json.dumps(key), json.dumps(key, ensure_ascii=False)):
        assert concealer.text(said) == '"***"'


@given(st.binary(), st.binary())
def test_other_bytes_stay(before: bytes, after: bytes) -> None:
    assert Concealer([KEY, "short"]).body(before + b"short" + after) == before + b"short" + after
