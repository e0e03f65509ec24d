"""Gemini's dialect at a proxy: paths, credentials, what passes byte for byte, counts, lists of models, and errors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web
from google.genai import errors, types
from proxy_lab import KEY, TOKEN, VIRTUAL, Provider_, Proxy, plan, proxy_of, rule, upstream
from scripted import FRESH, OUTPUT, SSE, Say, gemini_events
from sdk_lab import Bench, bench_of
from yarl import URL

from jackfield.api.gateway import CallerPass
from jackfield.api.records import replace
from jackfield_proxy.client_routes import route_of

ASKED = {"contents": [{"role": "user", "parts": [{"text": "ping"}]}], "generationConfig": {"new": 1}, "unknown": [1]}
PATH = "/v1beta/models/their-model:generateContent"
STREAM = "/v1beta/models/their-model:streamGenerateContent?alt=sse"
SAYS = "".join(f"data: {json.dumps(one)}\r\n\r\n" for one in gemini_events(Say("pong", thinking="Hm.", cached=5)))


@pytest.fixture
async def google() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        made.answer = answering
        yield made


@pytest.fixture
async def proxy(google: Provider_) -> AsyncIterator[Proxy]:
    north = upstream(google, family="gemini", models=("their-model",), native=True)
    async with proxy_of(plan({"north": north})) as made:
        yield made


async def answering(request: web.BaseRequest) -> web.StreamResponse:
    if request.path.endswith(":countTokens"):
        return web.json_response({"totalTokens": 31, "promptTokensDetails": []})
    if request.path.endswith(":streamGenerateContent"):
        return web.Response(text=SAYS, headers=SSE)
    candidate = {"content": {"parts": [{"text": "pong"}], "role": "model"}, "finishReason": "STOP", "new": 1}
    usage = {"promptTokenCount": FRESH, "candidatesTokenCount": 4, "thoughtsTokenCount": 3}
    return web.json_response({"candidates": [candidate], "usageMetadata": usage, "responseId": "r1", "new": 2})


# -------------------------------------------------------------------------------------------------------------- passing


@pytest.mark.parametrize("version", ["v1beta", "v1alpha", "v1"])
async def test_it_passes_byte_for_byte(proxy: Proxy, google: Provider_, version: str) -> None:
    body = json.dumps(ASKED, indent=1).encode()
    status, answer = await proxy.post(body, PATH.replace("v1beta", version), **{"x-goog-new": "1"})
    (asked,) = google.asked
    assert (status, json.loads(answer)["new"]) == (200, 2)
    assert (asked.path, asked.body) == (PATH.replace("v1beta", version), body)
    assert (asked.headers["x-goog-api-key"], asked.headers["x-goog-new"]) == (KEY, "1")
    assert TOKEN not in json.dumps(dict(asked.headers))
    (served,) = proxy.pipe.served
    assert (served.dialect, served.input, served.output, served.answer) == ("gemini", FRESH, OUTPUT, "r1")
    assert served.translated is False


async def test_a_stream_passes_byte_for_byte(proxy: Proxy, google: Provider_) -> None:
    status, answer = await proxy.post(ASKED, STREAM)
    assert (status, answer.decode()) == (200, SAYS)
    assert google.asked[0].path == STREAM
    (served,) = proxy.pipe.served
    assert (served.input, served.output, served.cache_read) == (FRESH, OUTPUT, 5)
    assert (served.answer, served.stream, served.whole) == ("gem-1", True, True)


async def test_a_key_in_the_query_is_the_clients_and_goes_no_further(
    proxy: Proxy, google: Provider_, capfd: pytest.CaptureFixture[str]
) -> None:
    async with proxy.client.post(
        URL(f"{str(proxy.client._base_url).rstrip('/')}{PATH}?k%65y={TOKEN}&new=1", encoded=True),
        json=ASKED,
        headers={"Authorization": ""},
    ) as answer:
        assert answer.status == 200
    assert google.asked[0].path == f"{PATH}?new=1"
    async with proxy.client.post(f"{PATH}?key=wrong-canary", json=ASKED, headers={"Authorization": ""}) as answer:
        assert answer.status == 401
        told = await answer.json()
    assert told["error"]["status"] == "UNAUTHENTICATED"
    async with proxy.client.post(f"/v1/messages?key={TOKEN}", json=ASKED, headers={"Authorization": ""}) as answer:
        assert answer.status == 401, "in Gemini's dialect alone, where it goes no further"
    records = repr(proxy.pipe.served)
    printed = "".join(capfd.readouterr())
    assert not any(secret in records + printed + json.dumps(told) for secret in (TOKEN, "wrong-canary", KEY))


async def test_the_cache_of_answers_tells_models_and_streams_apart(google: Provider_) -> None:
    north = upstream(google, family="gemini", native=True)
    other = PATH.replace("their-model", "other")
    async with proxy_of(plan({"north": north}, keys=True)) as proxy:
        proxy.pipe.caller = CallerPass("key-1", cache_seconds=60)
        for path in (PATH, other, STREAM, PATH, other, STREAM):
            _, answer = await proxy.post(ASKED, path, Authorization=f"Bearer {VIRTUAL}")
            assert answer.startswith(b"data:") == (path == STREAM)
    assert [one.path for one in google.asked] == [PATH, other, STREAM]


@pytest.mark.parametrize("verb", ["embedContent", "generateContent"])
@pytest.mark.parametrize("model", ["allowed/../other", "allowed/%2e%2e/other", "..", "a//b", "a/.", "../models/b"])
async def test_a_models_name_leads_nowhere_else(proxy: Proxy, google: Provider_, verb: str, model: str) -> None:
    for kind in ("models", "tunedModels"):
        url = URL(f"{str(proxy.client._base_url).rstrip('/')}/v1beta/{kind}/{model}:{verb}", encoded=True)
        async with proxy.client.post(url, json=ASKED) as answer:
            assert answer.status == 404
    assert not google.asked


async def test_a_models_name_stays_one_part_of_the_path(proxy: Proxy, google: Provider_) -> None:
    for path in ("models/acme/a:embedContent", "tunedModels/a:embedContent"):
        await proxy.post({"content": {"parts": []}}, f"/v1beta/{path}?x=1")
    assert [one.path for one in google.asked] == [
        "/v1beta/models/acme%2Fa:embedContent?x=1", "/v1beta/tunedModels/a:embedContent?x=1",
    ]  # fmt: skip


async def test_another_model_stands_in_the_path_alone(google: Provider_) -> None:
    north = upstream(google, family="gemini")
    async with proxy_of(plan({"north": north}, rule("all", "north/gemini-x"))) as proxy:
        await proxy.post(ASKED, PATH)
        await proxy.post({"content": {"parts": []}}, "/v1beta/models/e:embedContent")
    assert [one.path for one in google.asked] == [
        "/v1beta/models/gemini-x:generateContent", "/v1beta/models/e:embedContent",
    ]  # fmt: skip
    assert json.loads(google.asked[0].body) == ASKED


async def test_an_endpoint_may_have_its_version(google: Provider_) -> None:
    north = upstream(google, family="gemini")
    for url in (f"{google.url}/v1beta", f"{google.url}/v1beta/?x=1"):
        async with proxy_of(plan({"north": replace(north, url=url)})) as one:
            await one.post(ASKED, PATH)
    assert {asked.path.partition("?")[0] for asked in google.asked} == {PATH}


@pytest.mark.parametrize(("method", "action"), [("GET", "models"), ("DELETE", "pass")])
def test_a_colon_in_a_models_name_is_no_verb(method: str, action: str) -> None:
    found = route_of(method, "/v1/models/ft:gpt-x:acme")
    assert (found.dialect, found.action) == ("chat", action)


@pytest.mark.parametrize(
    ("method", "path", "action", "model"),
    [
        ("POST", "/v1beta/models/a:generateContent", "complete", "a"),
        ("POST", "/t/token/v1beta/models/a/b:streamGenerateContent", "complete", "a/b"),
        ("POST", "/v1/models/a:countTokens", "count", "a"),
        ("POST", "/v1beta/tunedModels/a:generateContent", "complete", "tunedModels/a"),
        ("GET", "/v1beta/models", "models", ""),
        ("GET", "/v1beta/models/a", "models", ""),
        ("POST", "/v1beta/models/a:batchGenerateContent", "pass", "a"),
        ("GET", "/v1beta/files", "pass", ""),
        ("POST", "/v1beta/files:register", "pass", ""),
        ("GET", "/v1beta/files/a:download", "pass", ""),
        ("POST", "/v1beta/cachedContents", "pass", ""),
        ("PATCH", "/v1beta/cachedContents/a", "pass", ""),
        ("POST", "/upload/v1beta/files", "pass", ""),
        ("POST", "/upload/v1beta/fileSearchStores/a:uploadToFileSearchStore", "pass", ""),
        ("GET", "/v1beta/models/a/operations/b", "pass", ""),
        ("GET", "/v1beta/filesystem", "none", ""),
        ("GET", "/v1beta/files/%2e%2e/cachedContents/a", "none", ""),
    ],
)
def test_paths(method: str, path: str, action: str, model: str) -> None:
    found = route_of(method, path)
    assert (found.dialect, found.action, found.named.model) == ("gemini", action, model)
    assert found.named.stream == ("stream" in path)


# ------------------------------------------------------------------------------------------------- counts, lists, tools


@pytest.mark.parametrize(("family", "exact"), [("gemini", 31), ("anthropic", 17), ("openai", None)])
async def test_tokens_are_counted_in_every_direction(family: str, exact: int | None) -> None:
    async with bench_of(family) as bench:

        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            return web.json_response({"totalTokens": 31} if family == "gemini" else {"input_tokens": 17})

        bench.provider.answer = answer
        mine = await bench.google.aio.models.count_tokens(model="m", contents="ping " * 100)
        turns: Any = [{"role": "user", "content": "ping " * 100}]
        theirs = await bench.claude.messages.count_tokens(model="m", messages=turns, system="Be brief.")
        if exact is None:
            assert not bench.provider.asked
            assert 90 < (mine.total_tokens or 0) < 250
            return
        assert (mine.total_tokens, theirs.input_tokens) == (exact, exact)
        if family == "gemini":
            assert all(one.path.endswith("/models/their-model:countTokens") for one in bench.provider.asked)
            wrapped = bench.asked()["generateContentRequest"]
            assert wrapped["model"] == "models/their-model"
            assert wrapped["systemInstruction"]["parts"] == [{"text": "Be brief."}]


async def test_the_list_of_models_in_googles_form() -> None:
    async with bench_of("anthropic") as bench:
        listed = [one.name async for one in await bench.google.aio.models.list()]
        assert listed == ["models/their-model"]
        assert (await bench.google.aio.models.get(model="their-model")).name == "models/their-model"
        with pytest.raises(errors.ClientError) as raised:
            await bench.google.aio.models.get(model="other")
        assert (raised.value.code, raised.value.status) == (404, "NOT_FOUND")


async def test_hosted_tools_that_cannot_be_carried_are_named() -> None:
    async with bench_of("openai") as bench:
        bench.says.append(Say("pong"))
        tools = [types.Tool(google_search=types.GoogleSearch()), types.Tool(code_execution=types.ToolCodeExecution())]
        config = types.GenerateContentConfig(tools=tools)
        found = await bench.google.aio.models.generate_content(model="m", contents="x", config=config)
        assert found.text == "pong"
        assert found.sdk_http_response is not None
        headers = {name.lower(): value for name, value in (found.sdk_http_response.headers or {}).items()}
        assert headers["x-jackfield-missing-tools"] == "web_search, code_execution"
        (served,) = bench.proxy.pipe.served
        assert list(served.missing) == ["web_search", "code_execution"]


async def test_pictures_and_formats_reach_anthropic() -> None:
    async with bench_of("anthropic") as bench:
        bench.says.append(Say('{"word": "pong"}'))
        schema = {"type": "object", "properties": {"word": {"type": "string"}}}
        config = types.GenerateContentConfig(
            system_instruction="Be brief.",
            response_mime_type="application/json",
            response_json_schema=schema,
            thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=2048),
        )
        parts: Any = [types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png"), "What?"]
        found = await bench.google.aio.models.generate_content(model="m", contents=parts, config=config)
        assert json.loads(found.text or "") == {"word": "pong"}
        asked = bench.asked()
        assert asked["system"][0]["text"] == "Be brief."
        assert asked["messages"][0]["content"][0]["source"]["media_type"] == "image/png"
        assert asked["output_config"]["format"]["schema"]["properties"] == schema["properties"]
        assert asked["thinking"] == {"type": "enabled", "budget_tokens": 2048}


# --------------------------------------------------------------------------------------------------------------- errors


async def ask(bench: Bench, client: str, stream: bool) -> None:
    turns: Any = [{"role": "user", "content": "x"}]
    match client:
        case "gemini" if stream:
            async for _ in await bench.google.aio.models.generate_content_stream(model="m", contents="x"):
                pass
        case "gemini":
            await bench.google.aio.models.generate_content(model="m", contents="x")
        case "chat":
            found: Any = await bench.gpt.chat.completions.create(model="m", messages=turns, stream=stream)
            if stream:
                async for _ in found:
                    pass
        case _:
            asked: Any = {"model": "m", "max_tokens": 9, "messages": turns, "stream": stream}
            found = await bench.claude.messages.create(**asked)
            if stream:
                async for _ in found:
                    pass


RAISED = (errors.APIError, openai.APIError, anthropic.APIError)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", ["gemini", "chat", "anthropic"])
async def test_a_blocked_prompt_is_a_clear_error(client: str, stream: bool) -> None:
    async with bench_of("gemini") as bench:
        blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}

        async def answer(_request: web.BaseRequest) -> web.StreamResponse:
            if not stream:
                return web.json_response(blocked)
            return web.Response(text=f"data: {json.dumps(blocked)}\n\n", headers=SSE)

        bench.provider.answer = answer
        if client == "gemini" and not stream:  # it passes as it came, and the client knows what it means
            found = await bench.google.aio.models.generate_content(model="m", contents="x")
            assert found.prompt_feedback is not None
            assert found.prompt_feedback.block_reason == types.BlockedReason.PROHIBITED_CONTENT
            return
        with pytest.raises(RAISED, match="PROHIBITED_CONTENT"):
            await ask(bench, client, stream)


@pytest.mark.parametrize("words", ["API Key not found. Please pass a valid API key.", "Nope."])
async def test_a_key_that_google_does_not_know_gives_way(google: Provider_, words: str) -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    refusal = {"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT", "details": [detail]}}

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        good = request.headers["x-goog-api-key"] == "good"
        return await answering(request) if good else web.json_response(refusal, status=400)

    google.answer = answer
    turn = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    both = upstream(google, family="gemini", keys=("bad", "good"))
    async with proxy_of(plan({"north": both})) as proxy:
        assert [(await proxy.post(turn))[0] for _ in range(3)] == [200] * 3
    assert len(google.asked) == 4, "the bad one rests"
    async with proxy_of(plan({"north": replace(both, keys=("bad",))})) as proxy:
        status, told = await proxy.post(turn)
        assert (status, json.loads(told)["error"]["type"]) == (401, "authentication_error")
        status, told = await proxy.post(turn, "/v1/chat/completions")
        assert (status, json.loads(told)["error"]["code"]) == (401, "invalid_api_key")
        status, told = await proxy.post(ASKED, PATH)
        assert (status, json.loads(told)) == (400, refusal), "in its own dialect it passes as it came"


@pytest.mark.parametrize("family", ["anthropic", "openai", "gemini"])
@pytest.mark.parametrize(
    ("status", "named"), [(400, "INVALID_ARGUMENT"), (429, "RESOURCE_EXHAUSTED"), (500, "INTERNAL")]
)
async def test_googles_client_raises_its_own_exception(family: str, status: int, named: str) -> None:
    async with bench_of(family) as bench:
        told: dict[str, Any] = {"message": "no cormorants", "type": "x"}
        told |= {"code": status, "status": named} if family == "gemini" else {}

        async def answer(_request: web.BaseRequest) -> web.StreamResponse:
            return web.json_response({"type": "error", "error": told}, status=status)

        bench.provider.answer = answer
        for stream in (False, True):
            with pytest.raises(errors.APIError, match="no cormorants") as raised:
                await ask(bench, "gemini", stream)
            assert (raised.value.code, raised.value.status) == (status, named)


@pytest.mark.parametrize("family", ["anthropic", "gemini"])
async def test_a_stream_that_breaks_off_raises(family: str) -> None:
    """Before a provider of its own dialect, and before another."""
    async with bench_of(family) as bench:

        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            response = web.StreamResponse(headers=SSE)
            await response.prepare(request)
            begun = {"candidates": [{"content": {"parts": [{"text": "pon"}], "role": "model"}, "index": 0}]}
            text = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "pon"}}
            await response.write(f"data: {json.dumps(begun if family == 'gemini' else text)}\n\n".encode())
            return response

        bench.provider.answer = answer
        with pytest.raises(errors.APIError, match="ended"):
            await ask(bench, "gemini", stream=True)
        (served,) = bench.proxy.pipe.served
        assert served.error


async def test_a_stream_that_begins_with_an_error_is_a_refusal_that_another_target_may_take(google: Provider_) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if "busy" in request.path:
            error = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
            return web.Response(text=f"data: {json.dumps(error)}\n\n", headers=SSE)
        return web.Response(text=SAYS, headers=SSE)

    google.answer = answer
    north = {"north": upstream(google, family="gemini")}
    async with proxy_of(plan(north, rule("a", "north/busy"), rule("b", "north/free"), strategy="Fallback")) as proxy:
        assert await proxy.post(ASKED, STREAM) == (200, SAYS.encode())
    async with proxy_of(plan(north, rule("a", "north/busy"))) as proxy:
        status, answer_ = await proxy.post(ASKED, STREAM)
    assert (status, json.loads(answer_)["error"]["message"]) == (503, "overloaded")
