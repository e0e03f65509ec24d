"""Refusals of a provider as the official clients understand them: the right exception, and retries by Retry-After."""

from __future__ import annotations

import time
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web
from proxy_lab import KEY
from scripted import Say, chat_answer, message_of
from sdk_lab import Bench, bench_of

from jackfield_proxy.plan import ProxyLimits

ONCE = ProxyLimits(retries=0, first_byte_timeout=5.0, idle_timeout=5.0, stop_grace=0.0)
ERRORS = {
    "anthropic": lambda kind, message: {"type": "error", "error": {"type": kind, "message": message}},
    "openai": lambda kind, message: {"error": {"message": message, "type": kind, "code": None, "param": None}},
}
CASES: list[tuple[int, str, str, str]] = [  # status, the other dialect's type, exception of either client
    (400, "invalid_request_error", "BadRequestError", "BadRequestError"),
    (401, "authentication_error", "AuthenticationError", "AuthenticationError"),
    (403, "permission_error", "PermissionDeniedError", "PermissionDeniedError"),
    (404, "not_found_error", "NotFoundError", "NotFoundError"),
    (413, "request_too_large", "RequestTooLargeError", "APIStatusError"),
    (422, "invalid_request_error", "UnprocessableEntityError", "UnprocessableEntityError"),
    (429, "rate_limit_error", "RateLimitError", "RateLimitError"),
    (500, "api_error", "InternalServerError", "InternalServerError"),
    (503, "server_error", "ServiceUnavailableError", "InternalServerError"),
    (529, "overloaded_error", "OverloadedError", "InternalServerError"),
]


def refusing(bench: Bench, family: str, status: int, kind: str, **headers: str) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(ERRORS[family](kind, "no cormorants"), status=status, headers=headers)

    bench.provider.answer = answer


async def ask_claude(bench: Bench, **more: Any) -> Any:
    turns: Any = [{"role": "user", "content": "ping"}]
    return await bench.claude.with_options(**more).messages.create(model="m", max_tokens=9, messages=turns)


async def ask_gpt(bench: Bench, **more: Any) -> Any:
    turns: Any = [{"role": "user", "content": "ping"}]
    return await bench.gpt.with_options(**more).chat.completions.create(model="m", messages=turns)


async def ask_responses(bench: Bench, **more: Any) -> Any:
    return await bench.gpt.with_options(**more).responses.create(model="m", input="ping")


@pytest.mark.parametrize("family", ["anthropic", "openai"])
@pytest.mark.parametrize(("status", "kind", "theirs", "_gpt"), CASES, ids=[str(case[0]) for case in CASES])
async def test_claude_raises_its_own_exception(family: str, status: int, kind: str, theirs: str, _gpt: str) -> None:
    async with bench_of(family, ONCE) as bench:
        refusing(bench, family, status, kind)
        # What of OpenAI is an overload is told as Anthropic's own; in one dialect the status passes as it is.
        told = "OverloadedError" if (family, status) == ("openai", 503) else theirs
        with pytest.raises(getattr(anthropic, told)) as raised:
            await ask_claude(bench)
    assert "no cormorants" in str(raised.value)
    assert KEY not in str(raised.value)


@pytest.mark.parametrize("family", ["anthropic", "openai"])
@pytest.mark.parametrize("ask", [ask_gpt, ask_responses])
@pytest.mark.parametrize(("status", "kind", "_claude", "theirs"), CASES, ids=[str(case[0]) for case in CASES])
async def test_gpt_raises_its_own_exception(
    family: str, ask: Any, status: int, kind: str, _claude: str, theirs: str
) -> None:
    async with bench_of(family, ONCE) as bench:
        refusing(bench, family, status, kind)
        with pytest.raises(getattr(openai, theirs)) as raised:
            await ask(bench)
    assert "no cormorants" in str(raised.value)
    assert raised.value.body is not None
    assert KEY not in str(raised.value)


async def test_a_wrong_token_is_an_authentication_error() -> None:
    async with bench_of("openai") as bench:
        with pytest.raises(anthropic.AuthenticationError):
            await ask_claude(bench, auth_token="wrong")
        with pytest.raises(openai.AuthenticationError):
            await ask_gpt(bench, api_key="wrong")
    assert not bench.provider.asked


async def test_an_error_within_a_stream_is_raised_while_it_is_read() -> None:
    async def half(_request: web.BaseRequest) -> web.StreamResponse:
        chunk = b'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":"po"}}]}\n\n'
        error = b'data: {"error":{"message":"no cormorants","type":"server_error"}}\n\n'
        return web.Response(body=chunk + error, headers={"Content-Type": "text/event-stream"})

    async with bench_of("openai", ONCE) as bench:
        bench.provider.answer = half
        said = ""
        with pytest.raises(anthropic.APIStatusError, match="no cormorants"):  # noqa: PT012 - raised by the loop
            async with bench.claude.messages.stream(
                model="m", max_tokens=9, messages=[{"role": "user", "content": "ping"}]
            ) as stream:
                async for text in stream.text_stream:
                    said += text
        assert said in ("", "po")


@pytest.mark.parametrize("ask", [ask_claude, ask_gpt])
@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_clients_wait_as_long_as_the_provider_says(family: str, ask: Any) -> None:
    """The proxy tries nothing by itself here: the client does, after the provider's `Retry-After`."""
    limits = ProxyLimits(retries=0, stop_grace=0.0, breaker_failures=99)
    async with bench_of(family, limits) as bench:
        times: list[float] = []

        async def answer(_request: web.BaseRequest) -> web.StreamResponse:
            times.append(time.monotonic())
            if len(times) == 1:
                error = ERRORS[family]("rate_limit_error", "slower")
                return web.json_response(error, status=429, headers={"Retry-After": "1"})
            say = Say("pong")
            return web.json_response(message_of(say)) if family == "anthropic" else chat_answer(say)

        bench.provider.answer = answer
        await ask(bench, max_retries=1)
    assert len(times) == 2
    assert 0.95 <= times[1] - times[0] < 5  # their own pause, unless told otherwise, is 0.5 s at most


async def test_the_proxy_waits_in_place_of_the_client() -> None:
    async with bench_of("openai", ProxyLimits(retries=1, stop_grace=0.0)) as bench:
        times: list[float] = []

        async def answer(_request: web.BaseRequest) -> web.StreamResponse:
            times.append(time.monotonic())
            if len(times) == 1:
                return web.json_response(ERRORS["openai"]("x", "slower"), status=429, headers={"Retry-After": "0.2"})
            return chat_answer(Say("pong"))

        bench.provider.answer = answer
        assert (await ask_claude(bench)).content[0].text == "pong"
        assert 0.19 <= times[1] - times[0] < 5
        assert bench.proxy.pipe.served[0].attempts == 2
