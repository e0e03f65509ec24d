from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import orjson
import pytest
from quart import Blueprint, Response, websocket

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.auth import SESSION, AuthRequest, Principal
from jackfield.api.errors import TokenInvalid
from jackfield.api.http import json_response, operation, principal, read_json
from jackfield.api.plugin import Plugin, hookimpl
from jackfield.core.building import settings_tables
from jackfield.core.kernel import Kernel
from jackfield.core.plugins import PluginHost
from jackfield.core.redaction import Redactor
from jackfield.core.settings import load
from jackfield.http.app import Application, create_app
from jackfield.testing.binary import MemoryBinary
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore

HOST = (b"host", b"127.0.0.1:8765")
ADA = {
    "ada": Principal("1", "ada", "member", "token"),
    "vic": Principal("2", "vic", "viewer", "token"),
    "key": Principal("3", "root", "admin", "api_key", frozenset({"workflows:execute"})),
    "looks": Principal("4", "root", "admin", "api_key", frozenset({"agents:read"})),
    "changes": Principal("5", "root", "admin", "api_key", frozenset({"agents:write"})),
}


class FakeStore(MemoryStore):
    name = "sqlite"


async def _never(*_arguments: object) -> Any:
    raise NotImplementedError("the kernel asks for none of it")


class FakeEngine:
    name = "embedded"
    submit = complete_call = result = waiting = resume = cancel = staticmethod(_never)

    async def recover(self) -> int:
        return 0

    async def drain(self, timeout: float) -> int:
        return 0

    def state(self) -> dict[str, int]:
        return {"running": 0}


class TokenMethod:
    """`Authorization: Bearer ada`"""

    name = "token"

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        given = request.header("authorization") or request.header("x-api-key")
        if given is None:
            return None
        found = ADA.get(given.decode("latin-1").removeprefix("Bearer "))
        if found is None:
            raise TokenInvalid
        return found


class CookieMethod:
    """`Cookie: session=owner`: ada's session that such a process began."""

    name = SESSION

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        given = request.header("cookie")
        if given is None:
            return None
        return Principal("1", "ada", "member", SESSION, claims={"peer": given.decode().removeprefix("session=")})


def _blueprint() -> Blueprint:
    routes = Blueprint("things", __name__)

    @routes.get("/api/v1/things")
    @operation("List.", scope="workflows:read")
    async def things() -> Response:
        return json_response({"caller": principal().username})

    @routes.post("/api/v1/things")
    @operation("Add.", scope="workflows:write")
    async def add() -> Response:
        return json_response({"got": await read_json()}, 201)

    @routes.post("/api/v1/open")
    @operation("Open.", scope="public")
    async def opened() -> Response:
        return json_response({})

    @routes.post("/api/v1/said")
    @operation("Repeat.", scope="public")
    async def said() -> Response:
        return json_response({"got": await read_json()})

    @routes.get("/api/broken")
    @operation("Fail.", scope=None)
    async def broken() -> Response:
        raise RuntimeError("a secret detail")

    @routes.get("/api/daemon/who")
    @operation("Who calls.", scope=None)
    async def who() -> Response:
        return json_response({"success": True, "data": principal().username})

    @routes.websocket("/ws/admin")
    @operation("Watch.", scope="admin")
    async def watch() -> None:
        await websocket.accept()

    @routes.websocket("/ws/broken")
    @operation("Fail.", scope=None)
    async def broken_watch() -> None:
        raise RuntimeError("a secret detail")

    return routes


async def _hook(scope: Scope, receive: Receive, send: Send) -> None:
    body = orjson.dumps({"client": scope["jackfield.client"], "id": scope["jackfield.request_id"]})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})


def a_plugin(**methods: object) -> type[Plugin]:
    """A plugin with these hooks, which take nothing, and methods, which take the plugin."""

    def method(name: str, act: Any) -> object:
        return hookimpl(lambda self: act()) if name.startswith("jackfield_") else act

    return type("StrangePlugin", (Plugin,), {name: method(name, act) for name, act in methods.items()})


class FakePlugin(Plugin):
    """Everything that the kernel needs from plugins."""

    @hookimpl
    def jackfield_store(self) -> FakeStore:
        return FakeStore()

    @hookimpl
    def jackfield_binary_store(self) -> MemoryBinary:
        return MemoryBinary(name="disk")

    @hookimpl
    def jackfield_engine(self) -> FakeEngine:
        return FakeEngine()

    @hookimpl
    def jackfield_auth_methods(self) -> list[TokenMethod | CookieMethod]:
        return [TokenMethod(), CookieMethod()]

    @hookimpl
    def jackfield_blueprints(self) -> list[Blueprint]:
        return [_blueprint()]

    @hookimpl
    def jackfield_asgi(self) -> list[AsgiMount]:
        return [AsgiMount("webhook", _hook, "public")]


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    def header(self, name: str) -> str | None:
        return next((v.decode() for k, v in self.headers if k.decode().lower() == name.lower()), None)


class Client:
    """Speaks ASGI to the application."""

    def __init__(self, app: Application) -> None:
        self.app = app
        app.management.open()

    async def __call__(
        self,
        method: str,
        path: str,
        *headers: tuple[str, str],
        body: bytes = b"",
        host: str | None = "127.0.0.1:8765",
        client: tuple[str, int] = ("192.0.2.9", 5555),
    ) -> Answer:
        sent = [*([(b"host", host.encode())] if host is not None else [])]
        sent += [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]
        if body and not any(name == b"transfer-encoding" for name, _ in sent):
            sent.append((b"content-length", str(len(body)).encode()))
        bare, _, query = path.partition("?")
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(bare),
            "raw_path": bare.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": sent,
            "client": client,
            "server": ("127.0.0.1", 8765),
            "extensions": {},
        }
        answer = Answer()
        queue: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        queue.put_nowait({"type": "http.request", "body": body, "more_body": False})

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], list(message["headers"])
            else:
                answer.body += message.get("body", b"")

        await self.app(scope, queue.get, send)
        return answer


MakeKernel = Callable[..., Kernel]


@pytest.fixture
def make_kernel(tmp_path: Path) -> MakeKernel:
    def make(config: Mapping[str, Any] | None = None, *plugins: type[Plugin], clock: FakeClock | None = None) -> Kernel:
        host = PluginHost()
        for number, plugin in enumerate(plugins or (FakePlugin,)):
            host.add(f"fake{number}", plugin)
        settings = load(settings_tables(host), config or {}, {}, {})
        kernel = Kernel(tmp_path, host, settings, Redactor(), clock or FakeClock())
        kernel.assemble()
        return kernel

    return make


@pytest.fixture
async def client(make_kernel: MakeKernel) -> AsyncIterator[Client]:
    kernel = make_kernel()
    await kernel.start()
    yield Client(create_app(kernel))
    await kernel.stop()
