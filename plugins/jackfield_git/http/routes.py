"""`/git`: status, differences, push and pull; for administrators, as a repository has every project's workflows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, UpstreamFailed
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.object_references import load
from jackfield_git.service import GitStatus, PullChoice, SourceControl
from jackfield_git.settings import GitSettings

if TYPE_CHECKING:
    from jackfield_git.http.schemas import GitDiffQuery, PullBody, PushBody

TAGS = ("source-control",)
SCOPE = "admin"
_SCHEMAS = "jackfield_git.http.schemas"


class GitRoutes:
    """Views of source control."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _control(self) -> SourceControl:
        return self._context.port(SourceControl)

    @operation(
        "Tell what differs between this daemon and its branch",
        operation_id="getGitStatus", scope=SCOPE, response=f"{_SCHEMAS}:GitStatusShown", tags=TAGS,
        errors=(UpstreamFailed,),
    )  # fmt: skip
    async def status(self) -> Response:
        return json_response(self._status(await self._control.status()))

    @operation(
        "Show how one file differs",
        operation_id="getGitDiff", scope=SCOPE, query=f"{_SCHEMAS}:GitDiffQuery",
        response=f"{_SCHEMAS}:GitDiffShown", tags=TAGS, errors=(UpstreamFailed,),
    )  # fmt: skip
    async def diff(self) -> Response:
        query = read_query(cast("type[GitDiffQuery]", load(f"{_SCHEMAS}:GitDiffQuery")))
        return json_response({"path": query.path, "diff": await self._control.difference(query.path)})

    @operation(
        "Commit what has changed here, and push it",
        operation_id="pushGit", scope=SCOPE, request=f"{_SCHEMAS}:PushBody", response=f"{_SCHEMAS}:GitStatusShown",
        tags=TAGS, errors=(Conflict, UpstreamFailed),
    )  # fmt: skip
    async def push(self) -> Response:
        body: PushBody = await read_model(f"{_SCHEMAS}:PushBody")
        return json_response(self._status(await self._control.push(body.message, body.paths, force=body.force)))

    @operation(
        "Bring here what has changed in the branch",
        operation_id="pullGit", scope=SCOPE, request=f"{_SCHEMAS}:PullBody", response=f"{_SCHEMAS}:PullShown",
        tags=TAGS, errors=(Conflict, UpstreamFailed),
    )  # fmt: skip
    async def pull(self) -> Response:
        body: PullBody = await read_model(f"{_SCHEMAS}:PullBody")
        choice = PullChoice(
            frozenset(body.ours), frozenset(body.theirs), body.others == "ours", body.others == "theirs"
        )
        found = await self._control.pull(choice, principal())
        files: list[Json] = [{"path": each.path, "message": each.message or None} for each in found.files]
        complete = not any(each.message for each in found.files)
        return json_response(
            {"commit": found.commit or None, "complete": complete, "backup": found.backup or None, "files": files}
        )

    @operation(
        "Show the public key of the daemon for ssh; it is made when there is none",
        operation_id="makeGitKey", scope=SCOPE, response=f"{_SCHEMAS}:GitKeyShown", tags=TAGS,
    )  # fmt: skip
    async def key(self) -> Response:
        return json_response({"publicKey": await asyncio.to_thread(self._control.repository.entry.public_key)})

    def _status(self, found: GitStatus) -> dict[str, Json]:
        settings = self._context.settings(GitSettings)
        rows: list[Json] = [
            {"path": each.path, "title": found.titles.get(each.path), "side": each.side, "gone": each.gone}
            for each in found.changes
        ]
        return {
            "branch": settings.branch, "commit": found.commit or None, "base": found.base or None,
            "readOnly": settings.read_only, "protected": settings.is_protected, "changes": rows,
        }  # fmt: skip


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = GitRoutes(context)
    made = Blueprint("git", __name__, url_prefix=f"{SERVICE_PREFIX}/git")
    for method, path, view in (
        ("GET", "", views.status),
        ("GET", "/diff", views.diff),
        ("POST", "/push", views.push),
        ("POST", "/pull", views.pull),
        ("POST", "/key", views.key),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    return [made]
