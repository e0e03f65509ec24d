"""The audit log forgets nothing that changes or reveals something: every route and every command is looked at."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
import pytest
from quart import Quart

from jackfield.api.audit import UNRECORDED
from jackfield.api.cli import CommandAct
from jackfield.cli.main import jackfield as main
from jackfield.cli.runtime import Runtime
from jackfield.core.building import build
from jackfield.http.dispatch import Counters
from jackfield.http.management.acts import act_of
from jackfield.http.management.assembling import make_management
from jackfield.http.management.auditing import recorded_act
from jackfield.http.route_checks import operation_of

FORM = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
QUIET = {
    "POST /api/profiles/<alias>/hooks/check": "tells only",
    "POST /api/proxy/<alias>/config/check": "tells only",
    "POST /api/proxy/<alias>/test": "tells only",
    "POST /api/session/forgotten": "is answered before a user is looked for; a link that is sent is recorded",
    "POST /api/session/question": "a step of a login",
    "POST /api/session/passkey": "a step of a login",
    "POST /api/session/passkeys": "begins a setup, which is recorded when it ends",
    "POST /api/session/factors/totp": "begins a setup, which is recorded when it ends",
    "POST /api/session/links/read": "tells only",
    "POST /api/session/links/passkey": "a step of what is recorded when it ends",
    "POST /api/v1/auth/login/question": "a step of a login",
    "POST /api/session/redirect": "begins a login, which is recorded when it ends",
    "POST /api/terminal/sessions/<session_id>/input": "keystrokes, as over the WebSocket; the session is recorded",
    "GET /api/terminal/sessions/<session_id>/wait": "tells only",
    "POST /api/terminal/sessions/<session_id>/wait": "tells only",
    "POST /api/usage/import-agent": "counts what agents have logged",
    "POST /api/v1/data-tables/csv/preview": "tells only",
    "POST /api/v1/drafts/<draft_id>/merge": "saves nothing",
    "POST /api/v1/expressions/preview": "runs nothing",
    "POST /api/v1/workflows/validate": "tells only",
    **dict.fromkeys((f"{method} /n8n/api/v1/<path:absent>" for method in METHODS), "says that there is none"),
}
"""Routes that say themselves that nothing is to be recorded, with the reason."""
READERS = {
    "agents list", "agents show", "agents validate", "api-key list", "audit list", "plugins form", "profiles list",
    "profiles show", "profiles env", "providers list", "providers show", "providers validate", "registry status",
    "registry build", "registry verify", "scripts test", "scripts validate", "templates list", "templates show",
    "templates validate", "user list", "verify", "keys show", "workflow list", "workflow validate", "doctor",
}  # fmt: skip
"""Commands that open the store, or may, and change nothing in it."""
ELSEWHERE = {"keys rotate", "keys forget"}
"""Recorded by `jackfield.cli.rotation`, which opens the store itself."""
OPENS = re.compile(r"\bcli\.run\(|\b_run\(|\b_here\(|\brun\(cli|\bswitch\(|\breach\(|load\(\"jackfield\.cli\.rotation")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Quart:
    return make_management(build(tmp_path_factory.mktemp("api"), {}, {}), Counters())


def routes(app: Quart) -> Iterator[tuple[str, str, str]]:
    """Method and rule, the act, and what the route itself says."""
    for rule in app.url_map.iter_rules():
        described = operation_of(app, rule.endpoint)
        assert described is not None
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield f"{method} {rule.rule}", recorded_act(method, rule.rule, described), described.act


def test_every_route_that_changes_something_has_an_act(app: Quart) -> None:
    found = list(routes(app))
    changing = [(route, act) for route, act, said in found if not route.startswith("GET ") and said != UNRECORDED]
    assert len(changing) > 150
    assert [route for route, act in changing if not FORM.fullmatch(act)] == []
    assert {route for route, _, said in found if said == UNRECORDED} == set(QUIET)


def test_acts_of_both_forms_of_the_api_have_one_name(app: Quart) -> None:
    acts = {route: act for route, act, _ in routes(app) if act}
    for path in ("workflows", "credentials", "variables", "tags", "users", "data-tables"):
        own = {act for route, act in acts.items() if re.search(rf" /api/v1/{path}\b", route)}
        n8n = {act for route, act in acts.items() if re.search(rf" /n8n/api/v1/{path}(/<\w+>)?$", route)}
        assert n8n <= own


@pytest.mark.parametrize(
    ("method", "rule", "act"),
    [
        ("POST", "/api/v1/workflows", "workflow.create"),
        ("DELETE", "/api/v1/workflows/<workflow_id>", "workflow.delete"),
        ("PATCH", "/api/v1/workflows/<workflow_id>", "workflow.update"),
        ("POST", "/api/v1/workflows/<workflow_id>/activate", "workflow.activate"),
        ("PUT", "/api/v1/workflows/<workflow_id>/tags", "workflow.tag.update"),
        ("DELETE", "/api/v1/data-tables/<table_id>/rows/clear", "data-table.row.clear"),
        ("POST", "/api/v1/approvals/<approval_id>", "approval.answer"),
        ("POST", "/api/things/<path:name>/boxes", "thing.box.create"),
        ("POST", "/api/registry/sync", "registry.sync"),
        ("DELETE", "/x", "x.delete"),
        ("PUT", "/api/v1/<name>", "daemon.update"),
    ],
)
def test_names_follow_from_method_and_path(method: str, rule: str, act: str) -> None:
    assert act_of(method, rule) == act


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command, obj=Runtime())
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))
    else:
        yield " ".join(path), command


def test_every_command_that_opens_the_store_is_recorded_or_reads() -> None:
    found = dict(commands(main))
    recorded = {
        name for name, command in found.items() if isinstance(getattr(command, "jackfield_act", None), CommandAct)
    }
    opening = {name for name, command in found.items() if OPENS.search(_source(command))}
    opening = {name for name in opening if not name.startswith("usage ")}  # its ledger is a file of its own
    assert opening - recorded - READERS == ELSEWHERE
    assert not recorded & READERS
    assert set(found) >= READERS
    for name in recorded:
        done: CommandAct = found[name].jackfield_act  # type: ignore[attr-defined]
        assert FORM.fullmatch(done.act)
        assert not done.subject or done.subject in {parameter.name for parameter in found[name].params}, name


def _source(command: click.Command) -> str:
    assert command.callback is not None
    return inspect.getsource(inspect.unwrap(command.callback))
