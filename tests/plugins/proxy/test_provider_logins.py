"""Who a request says that it is, and what a provider's manifest adds to it; with the vendors' own clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import anthropic
import openai
import pytest
from aiohttp import web
from proxy_lab import ASKED, TOKEN, Provider_, Proxy, daemon_of, failing, plan, profile, proxy_of, rule, upstream
from scripted import Say, chat_answer

from jackfield.api.providers import Provider, keys_in
from jackfield.api.records import replace
from jackfield_proxy.daemon.planning import plan_of
from jackfield_proxy.plan import ProxyLimits, Stickiness, Upstream

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
AZURE_PATH = "/openai/deployments/gpt%20x/chat/completions?api-version=2024-10-21"
HI = [{"role": "user", "content": "hi"}]


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as provider:
        yield provider


def chatting(provider: Provider_) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return chat_answer(Say("pong"))

    provider.answer = answer


async def planned(root: Path, manifest: Provider) -> Upstream:
    """The provider as a proxy is told of it by the daemon."""
    context = daemon_of(root, profile())
    context.ports["Providers"].known["north"] = manifest
    return (await plan_of(context, profile(), token=TOKEN, port=0)).upstreams["north"]


def manifest(url: str, kind: str = "openai-compatible", **more: object) -> Provider:
    return Provider.model_validate({"id": "north", "type": kind, "endpoints": {"main": url}, **more})


async def test_azure_both_as_the_client_and_as_the_provider(north: Provider_, tmp_path: Path) -> None:
    """What the official client sends to the proxy is what it would send to Azure."""
    chatting(north)
    url = f"{north.url}/openai/deployments/{{model}}?api-version=2024-10-21"
    azure = await planned(tmp_path, manifest(url, auth={"kind": "api-key"}))
    async with proxy_of(plan({"north": replace(azure, keys=("azure-key",))})) as proxy:
        base = str(proxy.client._base_url).rstrip("/")
        for place, key in ((base, TOKEN), (north.url, "azure-key")):
            async with openai.AsyncAzureOpenAI(
                azure_endpoint=place, api_key=key, api_version="2024-10-21", max_retries=0
            ) as client:
                said = await client.chat.completions.create(model="gpt x", messages=HI)  # type: ignore[call-overload]
                assert said.choices[0].message.content == "pong"
    through, direct = north.asked
    assert through.path == direct.path == AZURE_PATH
    assert through.body == direct.body
    for asked in (through, direct):
        assert asked.headers["api-key"] == "azure-key"
        assert "authorization" not in asked.headers


async def test_headers_and_query_of_the_manifest(north: Provider_, tmp_path: Path) -> None:
    """They come with passed and translated requests; the client's own of the same name do not."""
    made = manifest(
        north.url,
        "anthropic-compatible",
        headers={"X-Title": "of the manifest", "anthropic-version": "2099-01-01"},
        query={"tenant": "a b", "beta": "true"},
        auth={"kind": "bearer"},
    )
    async with proxy_of(plan({"north": await planned(tmp_path, made)})) as proxy:
        await proxy.post(ASKED, "/v1/messages?beta=false&more=1", **{"x-title": "of the client"})
        await proxy.post({"model": "m", "messages": HI}, "/v1/chat/completions")
    passed, translated = north.asked
    assert passed.path == "/v1/messages?tenant=a+b&beta=true&more=1"
    assert translated.path == "/v1/messages?tenant=a+b&beta=true"
    for asked in (passed, translated):
        assert asked.headers["x-title"] == "of the manifest"
        assert asked.headers["anthropic-version"] == "2099-01-01"
        assert asked.headers["authorization"] == "Bearer key-of-the-provider"
        assert "x-api-key" not in asked.headers


@pytest.mark.parametrize("name", ["Authorization", "content-length", "Host", "x-api-key"])
def test_a_manifest_sets_no_header_of_the_connection_or_the_credential(name: str) -> None:
    with pytest.raises(ValueError, match=rf"headers must not have {name}, which Jackfield sets; see auth\.kind"):
        manifest("http://x", headers={name: "1"})


@pytest.mark.parametrize("value", ["a\r\nb: c", "\u00e9"])
def test_a_manifests_header_is_one_line_of_ascii(value: str) -> None:
    with pytest.raises(ValueError, match=r"headers\.x-a"):
        manifest("http://x", headers={"x-a": value})


# ---------------------------------------------------------------------------------------------------- the agent's login


async def test_the_agents_own_login_passes_and_the_proxys_token_does_not(north: Provider_) -> None:
    made = upstream(north, native=True, auth="agent", keys=())
    async with proxy_of(plan({"north": made})) as proxy:
        base = f"{str(proxy.client._base_url).rstrip('/')}/t/{TOKEN}"
        async with anthropic.AsyncAnthropic(auth_token="login-of-the-agent", base_url=base, max_retries=0) as client:
            said = await client.messages.create(
                model="m",
                max_tokens=9,
                messages=[{"role": "user", "content": "hi"}],
                extra_headers={"anthropic-beta": "oauth"},
            )
            assert said.content[0].type == "text"
    assert north.asked[0].path == "/v1/messages"
    assert north.asked[0].headers["authorization"] == "Bearer login-of-the-agent"
    assert north.asked[0].headers["anthropic-beta"] == "oauth"
    assert TOKEN not in str(north.asked)


async def test_the_agents_login_goes_to_no_provider_with_a_key(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        path = f"/t/{TOKEN}/v1/messages"
        assert (await proxy.post(ASKED, path, Authorization="Bearer login-of-the-agent"))[0] == 200
    assert "login-of-the-agent" not in str(north.asked)


async def test_a_virtual_key_beside_the_token_is_no_login_of_the_agent(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north, auth="agent", keys=())})) as proxy:
        status, _ = await proxy.post(ASKED, f"/t/{TOKEN}/v1/messages", Authorization="Bearer jf_vk_of-somebody")
    assert status == 401
    assert not north.asked


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [("/v1/messages", 401, b"the agent sends none"), ("/v1/chat/completions", 400, b"own dialect alone")],
)
async def test_without_a_login_of_the_right_kind_nothing_is_sent(
    north: Provider_, path: str, status: int, told: bytes
) -> None:
    async with proxy_of(plan({"north": upstream(north, auth="agent", keys=())})) as proxy:
        found, body = await proxy.post(ASKED, path)
    assert (found, told in body) == (status, True)
    assert not north.asked


async def test_a_wrong_token_in_the_path_admits_nobody(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north, auth="agent", keys=())})) as proxy:
        status, _ = await proxy.post(ASKED, "/t/other/v1/messages", Authorization="Bearer login-of-the-agent")
    assert status == 401
    assert not north.asked


# --------------------------------------------------------------------------------------------------------- several keys


def by_key(**answers: Answer) -> Answer:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        found = answers.get(request.headers["x-api-key"])
        return await (found or ok)(request)

    return answer


async def ok(_request: web.BaseRequest) -> web.StreamResponse:
    return web.json_response({"type": "message", "content": []})


def used(provider: Provider_) -> list[str]:
    return [one.headers["x-api-key"] for one in provider.asked]


async def test_each_of_several_keys_has_its_turn(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north, native=True, keys=("a", "b", "c"))})) as proxy:
        for _ in range(4):
            assert (await proxy.post(ASKED))[0] == 200
    assert used(north) == ["a", "b", "c", "a"]


async def test_the_keys_of_a_conversation_stay_the_same(north: Provider_) -> None:
    made = plan({"north": upstream(north, native=True, keys=("a", "b", "c"))}, sticky=Stickiness())
    async with proxy_of(made) as proxy:
        for _ in range(4):
            await proxy.post(ASKED)
    assert len(set(used(north))) == 1


@pytest.mark.parametrize("status", [401, 402, 403, 429])
async def test_a_key_that_is_refused_rests_and_another_one_serves(north: Provider_, status: int) -> None:
    """The target has not failed, and the client sees nothing of it."""
    north.answer = by_key(a=failing(status))
    async with proxy_of(plan({"north": upstream(north, native=True, keys=("a", "b"))})) as proxy:
        answers = [(await proxy.post(ASKED))[0] for _ in range(3)]
        assert [one.attempts for one in proxy.pipe.served] == [2, 1, 1]
    assert answers == [200, 200, 200]
    assert used(north) == ["a", "b", "b", "b"]


async def passed(proxy: Proxy, path: str = "/v1/messages/batches/b1") -> int:
    async with proxy.client.get(path) as answer:
        return answer.status


async def test_what_an_account_keeps_is_asked_for_with_one_key(north: Provider_) -> None:
    """Whatever turns conversations take between, and also where they have been asked too often."""
    north.answer = ok
    async with proxy_of(plan({"north": upstream(north, native=True, keys=("a", "b"))})) as proxy:
        for _ in range(3):
            assert (await passed(proxy), (await proxy.post(ASKED))[0]) == (200, 200)
        assert used(north) == ["a", "a", "a", "b", "a", "a"]
        north.asked.clear()
        north.answer = by_key(a=failing(429))
        assert (await proxy.post(ASKED))[0] == 200
        assert (await proxy.post(ASKED))[0] == 200
        assert await passed(proxy) == 429
    assert used(north)[-1] == "a"


async def test_what_an_account_keeps_is_asked_for_with_the_next_key_where_the_first_is_refused(
    north: Provider_,
) -> None:
    north.answer = by_key(a=failing(401))
    async with proxy_of(plan({"north": upstream(north, native=True, keys=("a", "b"))})) as proxy:
        assert [await passed(proxy) for _ in range(3)] == [200, 200, 200]
    assert used(north) == ["a", "b", "b", "b"]


async def test_where_nothing_is_kept_each_key_has_its_turn(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north, family="openai", keys=("a", "b"))})) as proxy:
        for _ in range(3):
            await proxy.post({"model": "m", "input": "x"}, "/v1/embeddings")
    assert [one.headers["authorization"] for one in north.asked] == ["Bearer a", "Bearer b", "Bearer a"]


async def test_what_is_no_fault_of_the_key_is_asked_with_no_other(north: Provider_) -> None:
    north.answer = by_key(a=failing(503))
    async with proxy_of(plan({"north": upstream(north, native=True, keys=("a", "b"))})) as proxy:
        assert (await proxy.post(ASKED))[0] == 503
    assert used(north) == ["a"]


async def test_when_all_keys_are_refused_the_next_target_is_asked(north: Provider_) -> None:
    async with Provider_().serving() as south:
        north.answer = by_key(a=failing(429), b=failing(401))
        ups = {"north": upstream(north, native=True, keys=("a", "b")), "south": upstream(south, "south")}
        rules = (rule("one", "north/m", 2), rule("two", "south/m", 1))
        async with proxy_of(plan(ups, *rules, strategy="Fallback")) as proxy:
            assert (await proxy.post(ASKED))[0] == 200
            assert proxy.pipe.served[0].attempts == 3
    assert used(north) == ["a", "b"]


async def test_a_key_that_has_rested_is_used_again(north: Provider_) -> None:
    refused = {"a": 1}

    async def once(request: web.BaseRequest) -> web.StreamResponse:
        refused["a"] -= 1
        return await (failing(401) if refused["a"] >= 0 else ok)(request)

    north.answer = by_key(a=once)
    limits = ProxyLimits(retries=0, first_byte_timeout=2.0, idle_timeout=2.0, stop_grace=0.0, key_pause=0.05)
    async with proxy_of(plan({"north": upstream(north, native=True, keys=("a", "b"))}, limits=limits)) as proxy:
        async with asyncio.timeout(10):
            while used(north).count("a") < 2:
                assert (await proxy.post(ASKED))[0] == 200


def test_keys_are_separated_by_white_space_and_a_document_is_one() -> None:
    assert keys_in(" a  b\nc ") == ("a", "b", "c")
    assert keys_in('{"type": "service_account"}') == ('{"type": "service_account"}',)
    assert keys_in(None) == keys_in("") == ()
