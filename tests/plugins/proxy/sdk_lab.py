"""What the tests with official clients share: those clients before a proxy in front of a provider of either family."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
from aiohttp import web
from proxy_lab import TOKEN, Provider_, Proxy, plan, proxy_of, rule, upstream
from scripted import Say, chat_answer, chat_stream, message_of, messages_stream

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
        yield Bench(provider, proxy, says, claude, gpt)
