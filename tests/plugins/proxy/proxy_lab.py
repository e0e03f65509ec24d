"""What the tests of proxies share: a provider on loopback, a proxy's server in this process, and a daemon's ports."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from jackfield.api.gateway import PREFIX, CallerPass, PlannedRequest, StoredObject
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider
from jackfield.api.telemetry import Cost, RunUsage, Tokens, UsageEntry
from jackfield.testing.context import FakeContext
from jackfield_proxy.child.serving.server import Server
from jackfield_proxy.child.upstream.sending import UpstreamSender
from jackfield_proxy.messages import FromChild, ServedRequest
from jackfield_proxy.plan import ProxyLimits, ProxyPlan, Rule, Target, Upstream
from jackfield_proxy.serving import DaemonRole

VIRTUAL = f"{PREFIX}one"
"""A virtual key, of a plan with `keys`."""
TOKEN = "token-of-the-proxy"
KEY = "key-of-the-provider"
MESSAGE = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "pong"}],
    "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 12, "output_tokens": 3},
}  # fmt: skip
EVENTS = [
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "pong"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
]
ASKED = {"model": "asked", "max_tokens": 9, "messages": [{"role": "user", "content": "ping"}]}


def sse(*events: Mapping[str, Any]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)


@dataclass
class Asked:
    path: str
    headers: Mapping[str, str]
    body: bytes
    method: str = "POST"


class Provider_:  # noqa: N801 - `Provider` is the API's
    """A provider: `answer` says what it does; `gone` is set when a client has left it in the middle."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.remembers = True
        self.answer: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]] = default_answer
        self.gone = asyncio.Event()
        self.url = ""

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        if self.remembers:
            self.asked.append(Asked(request.raw_path, headers, body, request.method))
        try:
            return await self.answer(request)
        except asyncio.CancelledError:
            self.gone.set()
            raise

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[Provider_]:
        server = web.Server(self._handle, handler_cancellation=True, access_log=None)
        listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            listener.close()
            await server.shutdown(0)


async def default_answer(request: web.BaseRequest) -> web.StreamResponse:
    if json.loads(await request.read()).get("stream"):
        return web.Response(body=sse(*EVENTS), headers={"Content-Type": "text/event-stream"})
    return web.json_response(MESSAGE)


def failing(status: int, **headers: str) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        body = {"type": "error", "error": {"type": "api_error", "message": "out of order"}}
        return web.json_response(body, status=status, headers=headers)

    return answer


def rule(name: str, target: str, priority: int = 0, **condition: Any) -> Rule:
    return Rule(name, condition or {"type": "always"}, Target.of(target), priority)


class Pipe:
    """The daemon's end, in this process."""

    def __init__(self) -> None:
        self.served: list[ServedRequest] = []
        self.said: dict[str, bool] = {}
        self.kept: dict[str, StoredObject] = {}
        self.caller = CallerPass("key-1")
        self.planned: list[PlannedRequest] = []

    def send(self, message: FromChild) -> None:
        if message.served is not None:
            self.served.append(message.served)
        if message.made is not None:
            self.kept |= {one.id: one for one in message.made.objects}

    async def objects(self, timeout: float, key: str, ids: Sequence[str]) -> Sequence[StoredObject]:
        return [self.kept[one] for one in ids if one in self.kept]

    async def permission(self, timeout: float, **asked: object) -> CallerPass:
        """Of the one virtual key."""
        if isinstance(planned := asked.get("planned"), PlannedRequest):
            self.planned.append(planned)
        return self.caller

    async def ask(self, path: str, attributes: Mapping[str, Any], timeout: float) -> bool:
        return self.said.get(path, False)


@dataclass
class Proxy:
    server: Server
    pipe: Pipe
    client: aiohttp.ClientSession

    @property
    def sender(self) -> UpstreamSender:
        """Of the one profile that it serves."""
        (tenant,) = self.server._tenants._tenants.values()
        return tenant.services.sender

    async def post(
        self, body: Mapping[str, Any] | bytes, path: str = "/v1/messages", **headers: str
    ) -> tuple[int, bytes]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with self.client.post(path, data=data, headers=headers) as answer:
            return answer.status, await answer.read()


def plan(upstreams: Mapping[str, Upstream], *rules: Rule, limits: ProxyLimits | None = None, **more: Any) -> ProxyPlan:
    first = next(iter(upstreams), "none")
    fast = limits or ProxyLimits(retries=0, first_byte_timeout=2.0, idle_timeout=2.0, stop_grace=0.0)
    return ProxyPlan("p", TOKEN, first, rules=rules, upstreams=upstreams, limits=fast, **more)


def upstream(provider: Provider_, name: str = "north", family: Any = "anthropic", **more: Any) -> Upstream:
    url = provider.url + ("/v1" if family == "openai" else "")
    return Upstream(name, family, url, **{"keys": (KEY,), **more})


@contextlib.asynccontextmanager
async def proxy_of(made: ProxyPlan) -> AsyncIterator[Proxy]:
    pipe = Pipe()
    server = Server(made, pipe)  # type: ignore[arg-type]
    base = f"http://127.0.0.1:{await server.listen()}"
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    async with aiohttp.ClientSession(base, headers=headers) as client:
        try:
            yield Proxy(server, pipe, client)
        finally:
            await server.close()


async def until(probe: Callable[[], Any], seconds: float = 10.0) -> None:
    """Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not probe():
            await asyncio.sleep(0.01)


# ----------------------------------------------------------------------------------------------------- the ports


@dataclass
class Providers:
    known: dict[str, Provider] = field(default_factory=dict)

    async def all(self) -> Mapping[str, Provider]:
        return self.known


@dataclass
class Profiles:
    stored: dict[str, Profile] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    async def all(self) -> list[Profile]:
        return list(self.stored.values())

    async def find(self, alias: str) -> Profile:
        return self.stored[alias]

    async def key(self, profile: Profile) -> str | None:
        return self.keys.get(profile.alias)

    async def provider_key(self, provider_id: str) -> str | None:
        return self.keys.get(provider_id)


@dataclass
class Usage:
    """prices: US dollars a token, by model; before: what the ledger has of a profile."""

    entries: list[UsageEntry] = field(default_factory=list)
    prices: dict[str, float] = field(default_factory=dict)
    before: RunUsage = field(default_factory=lambda: RunUsage(Tokens(), Cost()))

    async def cost_of(self, entry: UsageEntry) -> Cost | None:
        price = self.prices.get(entry.model)
        return None if price is None else Cost(input=entry.tokens.total * price)

    async def spent(self, profile: str, start_ms: int) -> RunUsage:
        return self.before

    async def proxied(self, entry: UsageEntry) -> None:
        self.entries.append(entry)


def profile(alias: str = "p", provider: str = "north", **config: Any) -> Profile:
    proxy = {"enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": []}, **config}
    return Profile(alias, "agent", provider, "main", "m", metadata={"profile_home": "/nowhere", "proxy_config": proxy})


def provider_manifest(name: str, url: str, kind: Any = "anthropic-compatible") -> Provider:
    return Provider(id=name, name=name, type=kind, endpoints={"main": url, "default": "main"})


def daemon_of(root: Path, *profiles: Profile, **urls: str) -> FakeContext:
    known = {name: provider_manifest(name, url) for name, url in urls.items()}
    keys = {one.alias: KEY for one in profiles}
    ports = {
        "Providers": Providers(known),
        "Profiles": Profiles({one.alias: one for one in profiles}, keys),
        "Usage": Usage(),
    }
    context = FakeContext(root, ports=ports)
    context.port(DaemonRole).serving = True
    return context
