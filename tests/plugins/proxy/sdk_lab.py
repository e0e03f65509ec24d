"""What the tests with official clients share: those clients before a proxy in front of a provider of any family."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
from aiohttp import web
from google import genai
from google.genai.types import HttpOptions
from proxy_lab import TOKEN, Provider_, Proxy, plan, proxy_of, rule, upstream
from scripted import (
    Say,
    chat_answer,
    chat_stream,
    gemini_answer,
    gemini_stream,
    message_of,
    messages_stream,
    responses_answer,
    responses_stream,
)

from jackfield_proxy.plan import ProxyLimits

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PLACE = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}


@dataclass
class Bench:
    """says: what is answered, in turn. Exactly one of the clients fits a test; neither retries by itself."""

    provider: Provider_
    proxy: Proxy
    says: list[Say]
    claude: anthropic.AsyncAnthropic
    gpt: openai.AsyncOpenAI
    google: genai.Client

    def asked(self, number: int = -1) -> Any:
        """The body that the provider got."""
        return json.loads(self.provider.asked[number].body)


@contextlib.asynccontextmanager
async def bench_of(family: str, limits: ProxyLimits | None = None, **more: Any) -> AsyncIterator[Bench]:
    """A proxy in front of a provider of this family, and both clients."""
    says: list[Say] = []

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        stream = bool(json.loads(await request.read()).get("stream"))
        say = says.pop(0)
        if request.path.endswith(":streamGenerateContent"):
            return gemini_stream(say)
        if request.path.endswith(":generateContent"):
            return gemini_answer(say)
        if request.path == "/v1/responses":
            return responses_stream(say) if stream else web.json_response(responses_answer(say))
        if request.path.endswith("/chat/completions"):
            return chat_stream(say) if stream else chat_answer(say)
        assert request.path == "/v1/messages", request.path
        return messages_stream(say) if stream else web.json_response(message_of(say))

    async with contextlib.AsyncExitStack() as stack:
        provider = await stack.enter_async_context(Provider_().serving())
        provider.answer = answer
        north = upstream(provider, family=family, models=("their-model",), **more)
        made = plan({"north": north}, rule("all", "north/their-model"), limits=limits)
        proxy = await stack.enter_async_context(proxy_of(made))
        url = str(proxy.client._base_url).rstrip("/")
        claude = anthropic.AsyncAnthropic(auth_token=TOKEN, base_url=url, max_retries=0)
        gpt = openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{url}/v1", max_retries=0)
        await stack.enter_async_context(claude)
        await stack.enter_async_context(gpt)
        google = genai.Client(api_key=TOKEN, http_options=HttpOptions(base_url=url))
        stack.push_async_callback(google.aio.aclose)
        yield Bench(provider, proxy, says, claude, gpt, google)
