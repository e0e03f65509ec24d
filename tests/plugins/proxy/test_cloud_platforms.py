"""Anthropic's models at Bedrock and Vertex, and Gemini's at Vertex: what their official clients send, signatures that
botocore finds right, and tokens that google-auth gets."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anthropic
import jwt
import openai
import pytest
from aiohttp import web
from botocore.eventstream import EventStreamBuffer
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import EVENTS, MESSAGE, TOKEN, Asked, Provider_, daemon_of, plan, profile, proxy_of, rule, sse, upstream
from scripted import Say, gemini_answer, gemini_stream
from test_aws_signing import by_botocore

from jackfield.api.aws_signing import AwsKey
from jackfield.api.providers import Provider
from jackfield_proxy.child.upstream.event_frames import FRAMED, FrameDecoder
from jackfield_proxy.daemon.planning import plan_of
from jackfield_proxy.plan import Upstream

MODEL = "anthropic.claude-sonnet-4-20250514-v1:0"
AWS = AwsKey("AKIDEXAMPLE", "secret-of-aws", "session-of-aws")
TEXT = f"{AWS.access}:{AWS.secret}:{AWS.session}"
HI: Any = [{"role": "user", "content": "hi"}]


def header(name: str, value: str) -> bytes:
    key, said = name.encode(), value.encode()
    return struct.pack(">B", len(key)) + key + struct.pack(">BH", 7, len(said)) + said


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    head = b"".join(header(*pair) for pair in headers.items())
    prelude = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    whole = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return whole + struct.pack(">I", zlib.crc32(whole))


def event(value: Mapping[str, Any]) -> bytes:
    inner = base64.b64encode(json.dumps(value).encode()).decode()
    names = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    return frame(names, json.dumps({"bytes": inner, "p": "abcd"}).encode())


def exception(kind: str, message: str) -> bytes:
    names = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return frame(names, json.dumps({"message": message}).encode())


STREAM = b"".join(map(event, EVENTS))


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        made.answer = answering
        yield made


async def answering(request: web.BaseRequest) -> web.StreamResponse:
    if "stream" in request.path:
        return web.Response(body=STREAM, headers={"Content-Type": FRAMED})
    return web.json_response(MESSAGE)


def bedrock(north: Provider_, **more: Any) -> Upstream:
    made: dict[str, Any] = {"platform": "bedrock", "auth": "aws-sigv4", "region": "eu-west-1", "service": "bedrock"}
    return upstream(north, keys=(TEXT,), native=True, **{**made, **more})


def require_right_signature(asked: Asked) -> None:
    """By botocore, of what has arrived."""
    given = asked.headers["authorization"]
    names = re.findall(r"SignedHeaders=([^,]+)", given)[0].split(";")
    headers = {
        name: asked.headers[name] for name in names if name not in ("host", "x-amz-date", "x-amz-security-token")
    }
    url = f"http://{asked.headers['host']}{asked.path}"
    expected = by_botocore(AWS, url, headers, asked.body, asked.headers["x-amz-date"])
    assert given == expected


@pytest.mark.parametrize("stream", [False, True])
async def test_what_arrives_at_bedrock_is_what_the_official_client_sends(north: Provider_, stream: bool) -> None:
    asked: dict[str, Any] = {
        "model": MODEL, "max_tokens": 9, "messages": HI, "stream": stream, "extra_headers": {"anthropic-beta": "a,b"},
    }  # fmt: skip
    direct = anthropic.AsyncAnthropicBedrock(
        aws_access_key=AWS.access,
        aws_secret_key=AWS.secret,
        aws_session_token=AWS.session,
        aws_region="eu-west-1",
        base_url=north.url,
        max_retries=0,
    )
    async with proxy_of(plan({"north": bedrock(north)})) as proxy:
        base = str(proxy.client._base_url).rstrip("/")
        through = anthropic.AsyncAnthropic(auth_token=TOKEN, base_url=base, max_retries=0)
        async with direct, through:
            found = []
            for client in (direct, through):
                answer = await client.messages.create(**asked)
                found.append([one.to_dict() async for one in answer] if stream else answer.to_dict())
        assert found[1] == found[0]
        assert (proxy.pipe.served[0].input, proxy.pipe.served[0].output) == (12, 3)
    theirs, ours = north.asked
    assert ours.path.replace("%3A", ":") == theirs.path
    sent, expected = json.loads(ours.body), json.loads(theirs.body)
    assert sent.pop("anthropic_version") == "bedrock-2023-05-31"
    del expected["anthropic_version"]
    assert sent == expected
    assert sent["anthropic_beta"] == ["a", "b"]
    for one in north.asked:
        require_right_signature(one)
    assert TOKEN not in str(ours)


@pytest.mark.parametrize("stream", [False, True])
async def test_bedrock_for_clients_of_chat_completions(north: Provider_, stream: bool) -> None:
    async with proxy_of(plan({"north": bedrock(north)}, rule("all", f"north/{MODEL}"))) as proxy:
        base = str(proxy.client._base_url).rstrip("/")
        async with openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{base}/v1", max_retries=0) as gpt:
            answer: Any = await gpt.chat.completions.create(model="x", messages=HI, stream=stream)
            if stream:
                said = "".join([one.choices[0].delta.content or "" async for one in answer if one.choices])
            else:
                said = answer.choices[0].message.content
    assert said == "pong"
    require_right_signature(north.asked[0])


async def test_bedrocks_messages_endpoint_needs_a_signature_alone(north: Provider_) -> None:
    """`https://bedrock-runtime.REGION.amazonaws.com/anthropic` speaks the dialect itself."""
    async with proxy_of(plan({"north": bedrock(north, platform="")})) as proxy:
        assert (await proxy.post({"model": "m", "max_tokens": 9, "messages": HI}))[0] == 200
    assert north.asked[0].path == "/v1/messages"
    require_right_signature(north.asked[0])


async def test_an_error_within_the_stream_is_an_error_of_the_dialect(north: Provider_) -> None:
    async def late(_request: web.BaseRequest) -> web.StreamResponse:
        content = b"".join(map(event, EVENTS[:3])) + exception("throttlingException", "too many")
        return web.Response(body=content, headers={"Content-Type": FRAMED})

    north.answer = late
    async with proxy_of(plan({"north": bedrock(north)})) as proxy:
        _, body = await proxy.post({"model": "m", "max_tokens": 9, "messages": HI, "stream": True})
    assert b'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"too many"}}' in body


async def test_a_refusal_is_told_in_the_clients_dialect(north: Provider_) -> None:
    async def refusing(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"message": "no access to the model"}, status=403)

    north.answer = refusing
    async with proxy_of(plan({"north": bedrock(north)})) as proxy:
        status, body = await proxy.post({"model": "m", "max_tokens": 9, "messages": HI})
    assert status == 403
    assert json.loads(body)["error"] == {"type": "permission_error", "message": "no access to the model"}


async def test_damaged_frames_end_the_answer_with_an_error(north: Provider_) -> None:
    async def damaged(_request: web.BaseRequest) -> web.StreamResponse:
        content = b"".join(map(event, EVENTS[:3])) + b"\0" * 40
        return web.Response(body=content, headers={"Content-Type": FRAMED})

    north.answer = damaged
    async with proxy_of(plan({"north": bedrock(north)})) as proxy:
        _, body = await proxy.post({"model": "m", "max_tokens": 9, "messages": HI, "stream": True})
        assert proxy.pipe.served[0].status != 200 or proxy.pipe.served[0].error
    assert b"error" in body


async def test_without_a_key_for_aws_nothing_is_sent(north: Provider_) -> None:
    async with proxy_of(plan({"north": Upstream("north", "anthropic", north.url, auth="aws-sigv4")})) as proxy:
        status, body = await proxy.post({"model": "m", "max_tokens": 9, "messages": HI})
    assert status == 401
    assert b"ACCESS_KEY_ID:SECRET_ACCESS_KEY" in body
    assert not north.asked


@pytest.mark.parametrize("model", [".", ".."])
async def test_a_models_name_leads_nowhere_else(north: Provider_, model: str) -> None:
    async with proxy_of(plan({"north": bedrock(north)})) as proxy:
        assert (await proxy.post({"model": model, "max_tokens": 9, "messages": HI}))[0] == 400
    assert not north.asked


async def test_the_daemons_own_credentials_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "credentials"
    file.write_text(
        "[default]\naws_access_key_id = A\naws_secret_access_key = %S/\n"
        "[work]\naws_access_key_id = W\naws_secret_access_key = V\naws_session_token = T\n"
    )
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    context = daemon_of(tmp_path, profile())
    context.ports["Profiles"].keys.clear()
    auth = {"kind": "aws-sigv4", "region": "eu-west-1"}
    context.ports["Providers"].known["north"] = Provider.model_validate(
        {"id": "north", "type": "anthropic", "endpoints": {"main": "http://x"}, "auth": auth, "platform": "bedrock"}
    )

    async def keys() -> object:
        return (await plan_of(context, profile(), token=TOKEN, port=0)).upstreams["north"].keys

    assert await keys() == ("A:%S/",)
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert await keys() == ("W:V:T",)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "E")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "F")
    assert await keys() == ("E:F",)


# --------------------------------------------------------------------------------------------------------------- Vertex


PLACE = "/v1/projects/p/locations/europe-west1"
PRIVATE = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
PEM = PRIVATE.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()


def vertex(north: Provider_, key: str = "") -> Upstream:
    keys = (key,) if key else ()
    return Upstream("north", "anthropic", north.url + PLACE, True, keys, auth="google", platform="vertex")


def account(north: Provider_) -> str:
    info = {
        "type": "service_account",
        "client_email": "robot@p.example",
        "private_key": PEM,
        "private_key_id": "1",
        "token_uri": f"{north.url}/token",
    }
    return json.dumps(info)


def with_tokens(*tokens: str, seconds: int = 3600) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]:
    left = list(tokens)

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/token":
            given = {"access_token": left.pop(0), "expires_in": seconds, "token_type": "Bearer"}
            return web.json_response(given) if given["access_token"] else web.json_response({}, status=400)
        if "stream" in request.path:
            return web.Response(body=sse(*EVENTS), headers={"Content-Type": "text/event-stream"})
        return web.json_response(MESSAGE)

    return answer


@pytest.mark.parametrize("stream", [False, True])
async def test_what_arrives_at_vertex_is_what_the_official_client_sends(north: Provider_, stream: bool) -> None:
    north.answer = with_tokens("token-1")
    asked: dict[str, Any] = {"model": "claude-sonnet-4@20250514", "max_tokens": 9, "messages": HI, "stream": stream}
    direct = anthropic.AsyncAnthropicVertex(
        access_token="token-1", project_id="p", region="europe-west1", base_url=f"{north.url}/v1", max_retries=0
    )
    async with proxy_of(plan({"north": vertex(north, account(north))})) as proxy:
        base = str(proxy.client._base_url).rstrip("/")
        through = anthropic.AsyncAnthropic(auth_token=TOKEN, base_url=base, max_retries=0)
        async with direct, through:
            found = []
            for client in (direct, through):
                answer = await client.messages.create(**asked)
                found.append([one.to_dict() async for one in answer] if stream else answer.to_dict())
        assert found[1] == found[0]
        assert proxy.pipe.served[0].input == 12
    theirs, fetched, ours = north.asked
    assert ours.path == theirs.path
    assert ours.headers["authorization"] == theirs.headers["authorization"] == "Bearer token-1"
    sent, expected = json.loads(ours.body), json.loads(theirs.body)
    assert sent.pop("anthropic_version") == "vertex-2023-10-16"
    del expected["anthropic_version"]
    assert sent == expected
    claims = jwt.decode(
        parse_qs(fetched.body.decode())["assertion"][0],
        PRIVATE.public_key(),
        algorithms=["RS256"],
        audience="https://oauth2.googleapis.com/token",
    )
    assert (claims["iss"], claims["scope"]) == ("robot@p.example", "https://www.googleapis.com/auth/cloud-platform")


async def test_a_token_is_fetched_once_for_many_requests_and_again_when_it_is_about_to_expire(north: Provider_) -> None:
    body = {"model": "m", "max_tokens": 9, "messages": HI}
    for seconds, fetched in ((3600, 1), (60, 4)):  # google-auth renews what has less than four minutes
        north.asked.clear()
        north.answer = with_tokens("a", "b", "c", "d", seconds=seconds)
        async with proxy_of(plan({"north": vertex(north, account(north))})) as proxy:
            first = await asyncio.gather(*(proxy.post(body) for _ in range(3))) if fetched == 1 else []
            for _ in range(1 if first else 4):
                assert (await proxy.post(body))[0] == 200
        assert len([one for one in north.asked if one.path == "/token"]) == fetched


async def test_the_application_default_credentials_of_the_environment(
    north: Provider_, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "adc.json"
    file.write_text(account(north))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    north.answer = with_tokens("token-of-adc")
    async with proxy_of(plan({"north": vertex(north)})) as proxy:
        assert (await proxy.post({"model": "m", "max_tokens": 9, "messages": HI}))[0] == 200
    assert north.asked[-1].headers["authorization"] == "Bearer token-of-adc"
    made = await plan_of(daemon_of(tmp_path, profile()), profile(), token=TOKEN, port=0)
    assert made.environment["GOOGLE_APPLICATION_CREDENTIALS"] == str(file)


@pytest.mark.parametrize("key", ["not JSON", "{}", '{"type": "service_account"}', "refused"])
async def test_without_a_token_nothing_is_sent_and_no_key_is_told(north: Provider_, key: str) -> None:
    north.answer = with_tokens("", "", "", "")
    given = account(north) if key == "refused" else key
    async with proxy_of(plan({"north": vertex(north, given)})) as proxy:
        status, body = await proxy.post({"model": "m", "max_tokens": 9, "messages": HI})
    assert status == 401
    assert b"Google" in body
    assert b"PRIVATE" not in body
    assert not [one for one in north.asked if one.path != "/token"]


@pytest.mark.parametrize(("kind", "platform", "fits"), [
    ("gemini", "vertex", True), ("anthropic", "vertex", True), ("gemini", "bedrock", False),
    ("openai-compatible", "vertex", False),
])  # fmt: skip
def test_a_manifest_names_a_platform_for_models_that_it_has(kind: str, platform: str, fits: bool) -> None:
    place = "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1"
    manifest = {"id": "north", "type": kind, "endpoints": {"main": place}, "platform": platform}
    manifest |= {"auth": {"kind": "google"}}
    if fits:
        assert Provider.model_validate(manifest).needs_proxy == "platform"
        return
    with pytest.raises(ValueError, match=f"platform {platform} serves models of the type"):
        Provider.model_validate(manifest)


def google(north: Provider_, key: str) -> Upstream:
    return Upstream("north", "gemini", north.url + PLACE, True, (key,), auth="google", platform="vertex")


async def _as_google(request: web.BaseRequest) -> web.StreamResponse:
    if request.path == "/token":
        return web.json_response({"access_token": "token-1", "expires_in": 3600, "token_type": "Bearer"})
    if request.path.endswith(":countTokens"):
        return web.json_response({"totalTokens": 31, "totalBillableCharacters": 9})
    say = Say("pong")
    return gemini_stream(say) if "stream" in request.path else gemini_answer(say)


@pytest.mark.parametrize("verb", ["generate_content", "generate_content_stream", "count_tokens"])
async def test_what_arrives_at_vertex_is_what_googles_client_sends(north: Provider_, verb: str) -> None:
    north.answer = _as_google
    options = types.HttpOptions(base_url=north.url, api_version="v1")
    login = Credentials(token="token-1")  # type: ignore[no-untyped-call]
    direct = genai.Client(vertexai=True, project="p", location="europe-west1", credentials=login, http_options=options)
    async with proxy_of(plan({"north": google(north, account(north))})) as proxy:
        url = str(proxy.client._base_url).rstrip("/")
        through = genai.Client(api_key=TOKEN, http_options=types.HttpOptions(base_url=url))
        found = []
        for client in (direct, through):
            asked = getattr(client.aio.models, verb)(model="gemini-3-pro", contents="ping")
            answer = await asked
            found.append([one.text async for one in answer] if hasattr(answer, "__aiter__") else _said(answer))
            await client.aio.aclose()
        assert found[1] == found[0]
    theirs, ours = [one for one in north.asked if one.path != "/token"]
    assert ours.path == theirs.path
    assert ours.headers["authorization"] == theirs.headers["authorization"] == "Bearer token-1"
    assert "x-goog-api-key" not in ours.headers
    assert json.loads(ours.body) == json.loads(theirs.body)


def _said(answer: Any) -> object:
    return getattr(answer, "total_tokens", None) or answer.text


@pytest.mark.parametrize("stream", [False, True])
async def test_a_messages_client_reaches_gemini_on_vertex(north: Provider_, stream: bool) -> None:
    north.answer = _as_google
    async with proxy_of(plan({"north": google(north, account(north))})) as proxy:
        status, _ = await proxy.post({"model": "gemini-3-pro", "max_tokens": 9, "messages": HI, "stream": stream})
        counted = await proxy.post(
            {"model": "gemini-3-pro", "messages": HI, "system": "s"}, "/v1/messages/count_tokens"
        )
        assert (status, json.loads(counted[1])) == (200, {"input_tokens": 31})
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    base = f"{PLACE}/publishers/google/models/gemini-3-pro"
    assert [one.path for one in north.asked[1:]] == [f"{base}:{verb}", f"{base}:countTokens"]
    assert set(json.loads(north.asked[2].body)) <= {"contents", "systemInstruction", "generationConfig"}


async def test_an_error_of_gemini_on_vertex_is_told_as_it_came(north: Provider_) -> None:
    error = {"error": {"code": 400, "message": "no such thing", "status": "INVALID_ARGUMENT"}}

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return await _as_google(request) if request.path == "/token" else web.json_response(error, status=400)

    north.answer = answer
    async with proxy_of(plan({"north": google(north, account(north))})) as proxy:
        path = "/v1beta/models/gemini-3-pro:generateContent"
        status, body = await proxy.post({"contents": [{"parts": [{"text": "x"}]}]}, path)
        assert (status, json.loads(body)) == (400, error)
        status, body = await proxy.post({"file": {}}, "/v1beta/files")
        assert (status, json.loads(body)["error"]["status"]) == (404, "NOT_FOUND")


# -------------------------------------------------------------------------------------------------------------- frames


def test_botocore_reads_the_frames_of_these_tests() -> None:
    buffer = EventStreamBuffer()  # type: ignore[no-untyped-call]
    buffer.add_data(STREAM)  # type: ignore[no-untyped-call]
    found = [json.loads(base64.b64decode(json.loads(one.payload)["bytes"])) for one in buffer]
    assert found == EVENTS


@given(st.lists(st.integers(0, len(STREAM)), max_size=20))
def test_frames_may_be_cut_anywhere(cuts: list[int]) -> None:
    decoder, places = FrameDecoder(), [0, *sorted(cuts), len(STREAM)]
    found = b"".join(decoder.feed(STREAM[a:b]) for a, b in pairwise(places))
    assert found == FrameDecoder().feed(STREAM)
    assert found.count(b"event: ") == len(EVENTS)


@given(st.binary(max_size=200), st.integers(0, len(STREAM) - 1), st.integers(1, 255))
def test_damage_is_never_taken_for_content(noise: bytes, place: int, change: int) -> None:
    bent = bytearray(STREAM)
    bent[place] ^= change
    whole = FrameDecoder().feed(STREAM)
    for data in (noise, bytes(bent)):
        decoder = FrameDecoder()
        try:
            found = decoder.feed(data)
        except ValueError:
            continue
        assert whole.startswith(found)
        assert found != whole
