"""Nobody hides an act by leaving before its answer, and nobody unknown fills the log."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from quart import Blueprint, Response

from jackfield.api.audit import AuditedAct
from jackfield.api.auth import Principal
from jackfield.api.errors import InvalidCredentials, InvalidInput, JackfieldError, RateLimited, StoreUnavailable
from jackfield.api.http import AuditedThing, audit_notes, operation
from jackfield.core.tables import ServerSettings
from jackfield.http.management.auditing import GONE
from jackfield.http.management.quartapp import make_quart


class KeptAudit:
    """`AuditLog`"""

    def __init__(self) -> None:
        self.acts: list[AuditedAct] = []
        self.came = asyncio.Event()

    async def record(self, *acts: AuditedAct) -> None:
        self.acts += acts
        self.came.set()


def things(begun: asyncio.Event) -> Blueprint:
    """Those whose answers never come, and one that fails."""
    made = Blueprint("things", __name__, url_prefix="/api/v1/things")

    @made.post("/import")
    @operation("Import things", scope=None, act="thing.import")
    async def bring() -> Response:
        audit_notes().things = [AuditedThing("thing", "t1", "First"), AuditedThing("part", "p1", failed=True)]
        begun.set()
        await asyncio.Event().wait()
        return Response(status=204)

    @made.post("/add")
    @operation("Add things", scope=None, act="thing.add")
    async def add() -> Response:
        audit_notes().things = [AuditedThing("thing", "t1", "First")]
        raise StoreUnavailable("the disk is full")

    @made.delete("/<thing_id>")
    @operation("Delete a thing", scope=None)
    async def delete(thing_id: str) -> Response:
        begun.set()
        await asyncio.Event().wait()
        return Response(status=204)

    return made


async def call(audit: KeptAudit, begun: asyncio.Event, method: str, path: str) -> None:
    """A caller who leaves as soon as the act has begun."""
    app = make_quart([things(begun)], [], ServerSettings(), print, (lambda: audit, lambda: None))
    scope: dict[str, Any] = {
        "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": [(b"host", b"x")],
        "client": ("192.0.2.9", 1), "server": ("x", 80), "asgi": {"version": "3.0", "spec_version": "2.3"},
        "extensions": {}, "jackfield.principal": Principal("u1", "ada", "member", "jwt"),
        "jackfield.client": "192.0.2.9", "jackfield.request_id": "r1",
    }  # fmt: skip
    parts = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        if (part := next(parts, None)) is not None:
            return part
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None: ...

    async with asyncio.timeout(10):
        await app(scope, receive, send)  # type: ignore[arg-type]  # ASGI's types
        await audit.came.wait()


async def test_an_act_whose_caller_leaves_is_recorded() -> None:
    audit = KeptAudit()
    await call(audit, asyncio.Event(), "DELETE", "/api/v1/things/t1")
    (done,) = audit.acts
    assert (done.act, done.outcome, done.code, done.subject) == ("thing.delete", "failed", GONE, "t1")
    assert (done.actor.id, done.actor.address, done.request) == ("u1", "192.0.2.9", "r1")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("import", [("thing.import", "success", "", "t1"), ("part.import", "failed", "", "p1"),
                    ("thing.import", "failed", GONE, "")]),
        ("add", [("thing.add", "success", "", "t1"), ("thing.add", "failed", "STORE_UNAVAILABLE", "")]),
    ],
)  # fmt: skip
async def test_a_request_that_breaks_off_tells_what_it_has_done(path: str, expected: list[tuple[str, ...]]) -> None:
    audit = KeptAudit()
    await call(audit, asyncio.Event(), "POST", f"/api/v1/things/{path}")
    assert [(done.act, done.outcome, done.code, done.subject) for done in audit.acts] == expected


@pytest.mark.parametrize(
    ("error", "told"), [(InvalidCredentials(), 1), (InvalidInput("?"), 0), (RateLimited(1, "?"), 0)]
)
async def test_of_logins_those_are_recorded_that_were_tried(error: JackfieldError, told: int) -> None:
    audit, made = KeptAudit(), Blueprint("logins", __name__, url_prefix="/api/v1/logins")

    @made.post("")
    @operation("Log in", scope="public", act="user.login")
    async def login() -> Response:
        raise error

    app = make_quart([made], [], ServerSettings(), print, (lambda: audit, lambda: None))
    await app.test_client().post("/api/v1/logins")
    assert [act.act for act in audit.acts] == ["user.login"] * told


async def test_who_sets_up_a_factor_in_a_login_is_recorded() -> None:
    """There is no caller before the login has ended."""
    audit, made = KeptAudit(), Blueprint("factors", __name__, url_prefix="/api/v1/factors")

    @made.put("")
    @operation("Finish a factor", scope="public", act="user.factor")
    async def finish() -> Response:
        audit_notes().actor = "u1", "ada"
        return Response("{}")

    app = make_quart([made], [], ServerSettings(), print, (lambda: audit, lambda: None))
    await app.test_client().put("/api/v1/factors")
    (done,) = audit.acts
    assert (done.act, done.actor.id, done.actor.name, done.actor.method) == ("user.factor", "u1", "ada", "login")
