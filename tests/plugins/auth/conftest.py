"""The plugin over a store in memory, a clock that stands still, cheap hashes and a small application."""

from __future__ import annotations

import base64
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from quart import Quart, Response, g, request

from jackfield.api.asgi import error_body
from jackfield.api.auth import AuthRequest, Principal
from jackfield.api.errors import AuthRequired, JackfieldError
from jackfield.api.storage import User
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_auth.routes.blueprints import blueprints
from jackfield_auth.service import AuthService
from jackfield_auth.settings import LoginSettings, PasswordSettings

sys.path.insert(0, str(Path(__file__).parent))

from external_logins import Directory, Provider

PASSWORD = "correct horse battery"
CLIENT = "192.0.2.7"


async def authenticate(auth: AuthService, given: AuthRequest) -> Principal | None:
    """As the kernel does: every method, and all must name one user."""
    found = [caller for method in auth.methods if (caller := await method.authenticate(given))]
    if any(caller.user_id != found[0].user_id for caller in found):
        raise AuthRequired
    return found[0] if found else None


def application(auth: AuthService) -> Quart:
    """The plugin's routes as the kernel would serve them."""
    app = Quart("auth-tests")
    for blueprint in blueprints(auth.context):
        app.register_blueprint(blueprint)

    @app.before_request
    async def authorize() -> None:
        request.scope["jackfield.client"] = CLIENT  # type: ignore[typeddict-unknown-key]
        values = {name.lower(): [value.encode("latin-1")] for name, value in request.headers.items()}
        g.principal = await authenticate(auth, AuthRequest(values, CLIENT, request.path))
        described = app.view_functions[request.endpoint or ""].jackfield_operation  # type: ignore[attr-defined]
        if described.scope == "public":
            return
        if g.principal is None:
            raise AuthRequired
        if described.scope == "admin":
            g.principal.require_admin()

    @app.errorhandler(JackfieldError)
    async def error(exc: JackfieldError) -> Response:
        return Response(error_body(exc, "r"), exc.status, dict(exc.headers), content_type="application/json")

    return app


@dataclass
class Caller:
    """A client of the routes with fixed headers. Any: JSON of an answer."""

    app: Quart
    headers: dict[str, str] = field(default_factory=dict)

    async def send(self, method: str, path: str, json: object = None) -> tuple[int, Any]:
        body = {} if json is None else {"json": json}
        answer = await self.app.test_client().open("/api/v1" + path, method=method, headers=self.headers, **body)
        data = await answer.get_data()
        return answer.status_code, (await answer.get_json() if data else None)


@dataclass
class World:
    """One plugin with its surroundings."""

    auth: AuthService
    context: FakeContext
    clock: FakeClock
    store: MemoryStore
    app: Quart
    anonymous: Caller
    password: str = PASSWORD

    async def user(self, name: str = "ada", role: str = "admin", password: str = PASSWORD) -> User:
        return await self.auth.accounts.create(name, password, role)

    async def token(self, user: User) -> str:
        return (await self.auth.tokens.issue(user)).token

    async def ask(self, *, client: str = CLIENT, **headers: str | bytes) -> Principal | None:
        """Authenticate a request with these headers; `x_api_key` is X-API-Key."""
        values = {
            name.replace("_", "-"): [value if isinstance(value, bytes) else value.encode()]
            for name, value in headers.items()
        }
        return await authenticate(self.auth, AuthRequest(values, client, "/api/v1/workflows"))

    @staticmethod
    def basic(pair: str | bytes) -> str:
        """The Authorization header of a pair."""
        return "Basic " + base64.b64encode(pair if isinstance(pair, bytes) else pair.encode()).decode()

    async def caller(self, user: User) -> Caller:
        """With a Bearer token."""
        return Caller(self.app, {"Authorization": f"Bearer {await self.token(user)}"})

    async def login(self, name: str, password: str) -> tuple[int, Any]:
        return await self.anonymous.send("POST", "/auth/login", {"username": name, "password": password})

    def by_key(self, key: str) -> Caller:
        return Caller(self.app, {"X-API-Key": key})

    def by_basic(self, name: str, password: str) -> Caller:
        return Caller(self.app, {"Authorization": self.basic(f"{name}:{password}")})


Make = Callable[..., Awaitable[World]]


@pytest.fixture(autouse=True)
def no_first_admin(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JACKFIELD_ADMIN_USERNAME", "JACKFIELD_ADMIN_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    """`await make(*settings tables, store=...)` starts a plugin; all are closed after the test."""
    made: list[World] = []

    async def build(*tables: BaseModel, store: MemoryStore | None = None) -> World:
        clock = FakeClock()
        store = store or MemoryStore()
        fast = PasswordSettings(memory=8192, iterations=1, lanes=1)
        context = FakeContext(tmp_path, "auth", clock, tables=[*tables, fast], ports={"Store": store})
        auth = context.port(AuthService)
        app = application(auth)
        made.append(World(auth, context, clock, store, app, Caller(app)))
        await auth.open()
        return made[-1]

    build.made = made  # type: ignore[attr-defined]
    yield build
    for world in made:
        await world.auth.close()


@pytest.fixture
async def world(make: Make) -> World:
    return await make()


@pytest.fixture
def directory() -> Directory:
    return Directory()


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
async def open_world(make: Make, directory: Directory, provider: Provider) -> Any:
    """The plugin with both logins."""
    world = await make(LoginSettings(provider_timeout=0.05, redirects=20, redirect_timeout=60, failures=3))
    world.context.ports["jackfield_password_logins"] = [directory]
    world.context.ports["jackfield_redirect_logins"] = [provider]
    return world
