"""A proxy's server in front of a provider of the client's own dialect: nothing is changed but model and credential."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import ASKED, EVENTS, KEY, MESSAGE, TOKEN, Provider_, failing, plan, proxy_of, rule, sse, until, upstream
from yarl import URL

from jackfield.api.dialects.model import TokenCounts
from jackfield.api.records import replace
from jackfield_proxy.child.answers.usage_observer import UsageObserver
from jackfield_proxy.child.incoming.raw_model import with_model
from jackfield_proxy.plan import ProxyLimits


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


async def test_body_and_headers_arrive_as_they_were_sent(north: Provider_) -> None:
    body = b'{ "model" : "asked",  "max_tokens":9,"messages":[], "unknown": 1.50, "u":"\\u00fc\xc3\xbc" }'
    headers = {
        "anthropic-beta": "x-1",
        "anthropic-version": "2099-01-01",
        "x-own": "kept",
        "x-forwarded-for": "1.2.3.4",
        "X-HTTP-Method-Override": "DELETE",
        "x-original-url": "/v1/files",
    }
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, answer = await proxy.post(body, "/v1/messages?beta=true", **headers)
    assert (status, json.loads(answer)) == (200, MESSAGE)
    (asked,) = north.asked
    assert (asked.path, asked.body) == ("/v1/messages?beta=true", body)
    assert {name: asked.headers[name] for name in ("anthropic-beta", "anthropic-version", "x-own")} == {
        "anthropic-beta": "x-1", "anthropic-version": "2099-01-01", "x-own": "kept",
    }  # fmt: skip
    assert not {"x-forwarded-for", "x-http-method-override", "x-original-url"} & asked.headers.keys()
    assert (asked.headers["authorization"], asked.headers["x-api-key"]) == (f"Bearer {KEY}", KEY)
    assert TOKEN not in str(asked.headers)


AZURE = "/openai/deployments/d?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("family", "path", "expected"),
    [
        ("openai", "/v1/chat/completions", "/openai/deployments/d/chat/completions?api-version=2024-10-21"),
        (
            "openai",
            "/v1/chat/completions?api-version=1&x=%26",
            "/openai/deployments/d/chat/completions?api-version=2024-10-21&x=%26",
        ),
        ("openai", "/v1/messages?beta=true", "/openai/deployments/d/chat/completions?api-version=2024-10-21"),
        ("anthropic", "/v1/messages?beta=true", "/openai/deployments/d/v1/messages?api-version=2024-10-21&beta=true"),
        (
            "anthropic",
            "/v1/messages/count_tokens?beta=true",
            "/openai/deployments/d/v1/messages/count_tokens?api-version=2024-10-21&beta=true",
        ),
    ],
)
async def test_the_query_of_a_provider_s_address_stays_behind_the_path(
    north: Provider_, family: str, path: str, expected: str
) -> None:
    made = replace(upstream(north, family=family), url=north.url + AZURE)
    async with proxy_of(plan({"north": made})) as proxy:
        await proxy.post(ASKED, path)
    assert [asked.path for asked in north.asked] == [expected]


@pytest.mark.parametrize("model", [".", ".."])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1/embeddings"])
async def test_a_models_name_in_the_address_leads_nowhere_else(north: Provider_, path: str, model: str) -> None:
    made = replace(upstream(north, family="openai"), url=f"{north.url}/openai/deployments/{{model}}")
    async with proxy_of(plan({"north": made})) as proxy:
        assert (await proxy.post({**ASKED, "model": model, "input": "x"}, path))[0] == 400
    assert not north.asked


@pytest.mark.parametrize(
    "path", ["/v1/files//file-x", "/v1/files/%2Ffile-x", "/v1//files/file-x", "/v1/files/./file-x"]
)
async def test_paths_that_may_lead_elsewhere_are_none(north: Provider_, path: str) -> None:
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        url = URL(f"{str(proxy.client._base_url).rstrip('/')}{path}", encoded=True)
        async with proxy.client.get(url) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (404, "unknown_url")
    assert not north.asked


async def test_only_the_model_is_replaced(north: Provider_) -> None:
    body = json.dumps({**ASKED, "metadata": {"model": "asked"}}, indent=1).encode()
    async with proxy_of(plan({"north": upstream(north)}, rule("all", "north/other"))) as proxy:
        await proxy.post(body)
    assert north.asked[0].body == body.replace(b'"model": "asked"', b'"model": "other"', 1)


async def test_native_provider_gets_one_credential(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north, native=True)})) as proxy:
        await proxy.post(ASKED)
    assert "authorization" not in north.asked[0].headers
    assert north.asked[0].headers["x-api-key"] == KEY


async def test_stream_passes_byte_for_byte_and_is_recorded(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north)}, rule("all", "north/m"))) as proxy:
        status, answer = await proxy.post({**ASKED, "stream": True}, **{"x-claude-code-session-id": "s-1"})
    assert (status, answer) == (200, sse(*EVENTS))
    (served,) = proxy.pipe.served
    assert (served.provider, served.model, served.rule, served.status) == ("north", "m", "all", 200)
    assert (served.input, served.output, served.answer, served.session) == (12, 3, "msg_1", "s-1")


async def test_refusal_passes_as_it_came(north: Provider_) -> None:
    north.answer = failing(429, **{"Retry-After": "7", "x-own": "kept"})
    async with (
        proxy_of(plan({"north": upstream(north)})) as proxy,
        proxy.client.post("/v1/messages", json=ASKED) as answer,
    ):
        assert answer.status == 429
        assert (answer.headers["Retry-After"], answer.headers["x-own"]) == ("7", "kept")
        assert (await answer.json())["error"]["message"] == "out of order"
    assert proxy.pipe.served[0].status == 429


@pytest.mark.parametrize(
    ("path", "form"),
    [("/v1/messages", "anthropic"), ("/v1/chat/completions", "openai"), ("/v1/responses", "openai"), ("/x", "openai")],
)
async def test_without_the_token_401_in_the_clients_dialect(north: Provider_, path: str, form: str) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        for given in ("Bearer wrong", "Basic x", ""):
            status, answer = await proxy.post(ASKED, path, Authorization=given)
            error = json.loads(answer)
            assert status == 401
            assert (error.get("type") == "error") is (form == "anthropic")
            assert error["error"]["message"]
        status, _ = await proxy.post(ASKED, "/v1/messages", **{"Authorization": "", "x-api-key": TOKEN})
        assert status == 200
    assert len(north.asked) == 1


async def test_probe_models_and_unknown_paths(north: Provider_) -> None:
    made = plan(
        {"north": upstream(north, models=("m-1", "m-2"))}, aliases={"claude-quick": rule("x", "north/q").target}
    )
    async with proxy_of(made) as proxy:
        async with proxy.client.head("/", headers={"Authorization": ""}) as answer:
            assert answer.status == 200
        async with proxy.client.get("/v1/models?limit=1000") as answer:
            found = await answer.json()
        assert [one["id"] for one in found["data"]] == ["claude-quick", "m-1", "m-2"]
        assert (found["first_id"], found["last_id"], found["has_more"], found["object"]) == (
            "claude-quick", "m-2", False, "list",
        )  # fmt: skip
        async with proxy.client.get("/v1/models/m-2") as answer:
            assert (await answer.json())["id"] == "m-2"
        async with proxy.client.get("/v1/models/none") as answer:
            assert answer.status == 404
        status, unknown = await proxy.post(ASKED, "/v1/chat/unknown")
        assert (status, json.loads(unknown)["error"]["code"]) == (404, "unknown_url")
        assert (await proxy.post(ASKED, "/v1/embeddings"))[0] == 404


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"max_tokens": 1}', b'{"model": 7}', b"\xff\xfe", b'{"model":NaN}']
)
async def test_bad_body_is_400_in_the_clients_dialect(north: Provider_, body: bytes) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, answer = await proxy.post(body)
    assert status == 400
    assert json.loads(answer)["error"]["type"] == "invalid_request_error"


async def test_body_above_the_limit_is_413(north: Provider_) -> None:
    made = plan({"north": upstream(north)}, limits=ProxyLimits(body_limit=1000, retries=0))
    packed = gzip.compress(json.dumps({**ASKED, "system": "x" * 5000}).encode())
    async with proxy_of(made) as proxy:
        assert (await proxy.post({**ASKED, "system": "x" * 1000}))[0] == 413
        assert (await proxy.post(packed, **{"Content-Encoding": "gzip"}))[0] == 413
    assert not north.asked


async def test_client_that_leaves_cancels_its_provider(north: Provider_) -> None:
    async def endless(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sse(EVENTS[0]))
        await asyncio.sleep(60)
        return response

    north.answer = endless
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        async with proxy.client.post("/v1/messages", json={**ASKED, "stream": True}) as answer:
            await answer.content.readany()
            answer.close()
        async with asyncio.timeout(1):
            await north.gone.wait()
        await until(lambda: proxy.pipe.served)
    assert proxy.pipe.served[0].status == 499


async def test_client_that_leaves_before_the_answer_cancels_too(north: Provider_) -> None:
    async def silent(_request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(60)
        raise AssertionError

    north.answer = silent
    async with proxy_of(plan({"north": upstream(north)}, limits=ProxyLimits(retries=0))) as proxy:
        waiting = asyncio.create_task(proxy.post(ASKED))
        await until(lambda: north.asked)
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waiting
        async with asyncio.timeout(1):
            await north.gone.wait()


async def test_new_plan_counts_for_the_next_request_and_not_for_those_in_flight(north: Provider_) -> None:
    release = asyncio.Event()

    async def held(request: web.BaseRequest) -> web.StreamResponse:
        await release.wait()
        return web.json_response(MESSAGE)

    north.answer = held
    async with proxy_of(plan({"north": upstream(north)}, rule("old", "north/old"))) as proxy:
        first = asyncio.create_task(proxy.post(ASKED))
        await until(lambda: north.asked)
        proxy.server.plan = replace(proxy.server.plan, rules=(rule("new", "north/new"),))
        second = asyncio.create_task(proxy.post(ASKED))
        await until(lambda: len(north.asked) == 2)
        release.set()
        assert [(await first)[0], (await second)[0]] == [200, 200]
    assert [json.loads(asked.body)["model"] for asked in north.asked] == ["old", "new"]
    assert sorted(str(one.rule) for one in proxy.pipe.served) == ["new", "old"]


async def test_slow_client_holds_its_provider_back(north: Provider_) -> None:
    sent = 0

    async def flood(request: web.BaseRequest) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for _ in range(2000):
            await response.write(b": " + b"x" * 65_000 + b"\n\n")
            sent += 65_000
        return response

    north.answer = flood
    limits = ProxyLimits(retries=0, idle_timeout=30.0, stop_grace=0.0)
    async with (
        proxy_of(plan({"north": upstream(north)}, limits=limits)) as proxy,
        proxy.client.post("/v1/messages", json={**ASKED, "stream": True}) as answer,
    ):
        await answer.content.readany()
        seen = -1
        while seen != sent:  # until nothing moves any more
            seen = sent
            await asyncio.sleep(0.3)
        assert sent < 60_000_000
        answer.close()


# --------------------------------------------------------------------------------------------------------------- pieces

names = st.sampled_from(["model", "a", "mo\\u0064el", 'q"uote', "{", "stream"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(names, values, max_size=4), st.text(max_size=10), st.text(max_size=10), st.booleans())
def test_replaced_model_is_the_only_difference(rest: dict[str, object], old: str, new: str, ascii_only: bool) -> None:
    value = {**rest, "model": old}
    body = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if b"\xed" in body and not ascii_only:
        return  # half a surrogate is no UTF-8
    made = with_model(body, new.encode("utf-8", "replace").decode())
    assert json.loads(made) == {**value, "model": new.encode("utf-8", "replace").decode()}


def test_repeated_and_escaped_keys_are_replaced_too() -> None:
    body = b'{"model":"a","x":{"model":"b"},"mod\\u0065l":"c","model":"d"}'
    assert with_model(body, "new") == b'{"model":"new","x":{"model":"b"},"mod\\u0065l":"new","model":"new"}'


@given(st.lists(st.integers(1, 40), max_size=20))
def test_usage_is_found_however_a_stream_is_cut(cuts: list[int]) -> None:
    data, observer = sse(*EVENTS), UsageObserver("anthropic", stream=True)
    for size in cuts:
        observer.feed(data[:size])
        data = data[size:]
    observer.feed(data)
    observer.close()
    assert (observer.answer, observer.usage) == ("msg_1", TokenCounts(input=12, output=3))


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 7}, TokenCounts(5, 2, 7)),
        (
            {"input_tokens": 5, "cache_creation_input_tokens": 9, "cache_creation": {"ephemeral_1h_input_tokens": 4}},
            TokenCounts(5, 0, 0, 9, 4),
        ),
        (
            {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            TokenCounts(6, 2, 4),
        ),
        ({"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}, TokenCounts(6, 2, 4)),
        ({"input_tokens": "many", "output_tokens": -1}, TokenCounts()),
    ],
)
def test_usage_of_every_dialect(usage: dict[str, object], expected: TokenCounts) -> None:
    observer = UsageObserver("anthropic", stream=False)
    observer.feed(json.dumps({"id": "x", "usage": usage}).encode())
    observer.close()
    assert observer.usage == expected


def test_usage_of_a_compressed_answer_and_of_one_too_large() -> None:
    observer = UsageObserver("anthropic", stream=False, encoding="gzip")
    observer.feed(gzip.compress(json.dumps(MESSAGE).encode()))
    observer.close()
    assert observer.usage == TokenCounts(12, 3)
    observer = UsageObserver("anthropic", stream=True)
    for _ in range(20):
        observer.feed(b"x" * 1024 * 1024)
    observer.feed(b"\n\n" + sse(*EVENTS))
    observer.close()
    assert observer.usage == TokenCounts(12, 3)
