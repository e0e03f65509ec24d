"""The plugin over a store in memory, with the real guarded client and a clock that the test moves."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from quart import Quart, Response, g, request

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

from credential_lab import Lab
from loopback import Loopback, loopback
from node_fakes import KeepingContext

from jackfield.api import jsontext
from jackfield.api.auth import Principal
from jackfield.api.errors import JackfieldError
from jackfield.testing.clock import FakeClock
from jackfield.testing.store import MemoryStore
from jackfield_credentials.http.routes import blueprints
from jackfield_credentials.kinds import KINDS
from jackfield_nodes.http.client import GuardedClient
from jackfield_nodes.http.settings import HttpSettings


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    clock, store = FakeClock(), MemoryStore()
    await store.open()
    context = KeepingContext(tmp_path, clock=clock, tables=[HttpSettings(allowed_networks=["127.0.0.0/8"])])
    context.ports.update(Store=store, jackfield_credential_kinds={kind.name: kind for kind in KINDS})
    context.ports["HttpClient"] = GuardedClient(context)
    app = Quart("test")
    for blueprint in blueprints(context):
        app.register_blueprint(blueprint)

    @app.before_request
    async def authorize() -> None:
        scopes = request.headers.get("x-scopes")
        g.principal = Principal("u1", "ada", "admin", "jwt", frozenset(scopes.split()) if scopes else None)

    @app.errorhandler(JackfieldError)
    async def envelope(error: JackfieldError) -> Response:
        body = {"code": error.code, "message": error.message, "details": error.details}
        return Response(jsontext.dumps(body), status=error.status, content_type="application/json")

    yield Lab(context, clock, store, app)
    for task in context.tasks:
        task.cancel()
    await store.close()
