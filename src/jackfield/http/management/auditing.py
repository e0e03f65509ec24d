"""A line in the audit log for each request of the management API that changes or reveals something.

It is written behind the view and before the answer leaves: whoever reads of success finds the record. Where the store
does not take it, the answer says that what was done is not recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

from quart import Quart, Response, g, request
from quart.wrappers.response import DataBody

from jackfield.api import jsontext
from jackfield.api.audit import UNRECORDED, AuditActor, AuditedAct, AuditLog, Outcome, actor_of
from jackfield.api.auth import Principal
from jackfield.api.errors import InvalidInput, JackfieldError, StoreUnavailable
from jackfield.api.http import AuditedThing, Operation, audit_notes, client_address, request_id
from jackfield.api.json_values import Json
from jackfield.api.projects import ProjectAccess
from jackfield.api.records import replace
from jackfield.api.storage import RESOURCE_KINDS

from ..route_checks import operation_of
from .acts import act_of, kind_of, parameters_of

READING = frozenset({"GET", "HEAD", "OPTIONS"})
_MOST_READ = 256 * 1024
"""Bytes of an answer in which the id of something new is looked for."""
_NAMES = ("name", "username", "alias", "key_name", "title")
_IDS = ("id", "executionId", "alias", "name")
_UNRECORDED = "It was done, but the store does not take its record in the audit log; look at the store first."
AuditPorts: TypeAlias = "tuple[Callable[[], AuditLog | None], Callable[[], ProjectAccess | None]]"
"""Each gives None where there is none."""
_HALF = "SECOND_STEP_NEEDED"
"""Of a login that goes on."""
GONE = "CLIENT_GONE"
"""Of a request whose caller left before its answer: it may have been done."""
log = logging.getLogger("jackfield.http")


def recorded_act(method: str, rule: str, described: Operation) -> str:
    """The name under which a request is recorded; empty: it is not."""
    if described.act == UNRECORDED or (method in READING and not described.act):
        return ""
    return described.act or act_of(method, rule)


class Auditing:
    """Of one application. find: the ports, where there are any."""

    def __init__(self, app: Quart, ports: AuditPorts, refuse: Callable[[JackfieldError], Response]) -> None:
        """refuse: makes the answer of an error."""
        audit, projects = ports
        self._app = app
        self._refuse = refuse
        self._audit = audit
        self._projects = projects
        self._late: set[asyncio.Task[None]] = set()

    async def before(self) -> None:
        """Where the thing belongs: of one that is deleted nobody knows later."""
        if act := self._act():
            kind, subject, _ = _about(act)
            if subject:
                g.audit_project = await self._project(kind, subject)

    async def after(self, answer: Response) -> Response:
        """The answer, or another in its place."""
        act = self._act()
        audit = self._audit() if act else None
        if audit is None:
            return answer
        caller: Principal | None = g.get("principal")
        if caller is None and audit_notes().actor is None and not (act in LOGINS and _tells(answer.status_code)):
            return answer  # of nobody: whoever wants could fill the log
        try:
            done = await self._each(await self._made(act, caller, answer), audit_notes().things)
            g.audit_recorded = True  # from here on it is written whoever leaves
            await audit.record(*done)
        except StoreUnavailable as exc:
            log.error("The audit log does not take the record of %s by %s: %s", act, _caller(caller), exc.message)
            if answer.status_code < 400 and act not in LOGINS:  # whoever frees the disk must get in
                return self._refuse(StoreUnavailable(_UNRECORDED))
        return answer

    def left(self) -> None:
        """The caller has gone and the request is given up, at whichever step: nobody hides an act by leaving."""
        act, caller = self._act(), g.get("principal")
        audit = self._audit() if act else None
        if audit is None or caller is None or g.get("audit_recorded"):
            return
        notes, (kind, subject, rest) = audit_notes(), _about(act)
        done = AuditedAct(
            act,
            actor_of(caller, client_address()),
            "failed",
            kind,
            notes.subject or subject,
            notes.name or rest,
            str(g.get("audit_project", "")),
            notes.fields,
            GONE,
            request_id(),
        )
        things = list(notes.things)
        late = self._late_record(audit, done, things)
        task = asyncio.get_running_loop().create_task(late, name="audit of a caller who left")
        self._late.add(task)
        task.add_done_callback(self._late.discard)

    def _act(self) -> str:
        rule, view = request.url_rule, request.endpoint
        described = operation_of(self._app, view) if view is not None else None
        return "" if rule is None or described is None else recorded_act(request.method, rule.rule, described)

    async def _made(self, act: str, caller: Principal | None, answer: Response) -> AuditedAct:
        notes, shown = audit_notes(), await _shown(answer)
        good = answer.status_code < 400
        outcome, code = _outcome(answer.status_code), "" if good else notes.code
        kind, subject, rest = _about(act)
        subject = notes.subject or subject or (_first(shown, _IDS) if good else "")
        project = str(g.get("audit_project", ""))
        if good and not project:
            project = await self._project(kind, subject)
        actor = actor_of(caller, client_address())
        if caller is None and notes.actor is not None:
            actor = AuditActor(*notes.actor, method="login", address=actor.address)
        if act in LOGINS:
            actor = AuditActor(*(notes.actor or _user(shown)), method="login", address=actor.address)
            subject, project = notes.subject or actor.id, ""
            if good and not actor.id:
                outcome, code = "failed", _HALF
        return AuditedAct(
            act,
            actor,
            outcome,
            kind,
            subject,
            notes.name or rest or (_first(shown, _NAMES) if good else ""),
            project,
            notes.fields if good and act not in LOGINS else (),
            code,
            request_id(),
        )

    async def _each(self, done: AuditedAct, things: Sequence[AuditedThing]) -> Sequence[AuditedAct]:
        """A record for each thing, where the request was about several. A request that broke off has one as well."""
        verb = done.act.rpartition(".")[2]
        made = [
            replace(
                done,
                act=f"{thing.kind}.{verb}",
                outcome="failed" if thing.failed else "success",
                kind=thing.kind,
                subject=thing.id,
                name=thing.name,
                project=await self._project(thing.kind, thing.id),
                code="",
            )
            for thing in things
        ]
        return made if made and done.outcome == "success" else [*made, done]

    async def _late_record(self, audit: AuditLog, done: AuditedAct, things: Sequence[AuditedThing]) -> None:
        try:
            await audit.record(*(await self._each(done, things)))
        except StoreUnavailable as exc:
            log.error("The audit log does not take a record: %s", exc.message)

    async def _project(self, about: str, subject: str) -> str:
        """Empty: it belongs to none. A project that the store does not give is not worth the request."""
        kind, projects = about.partition(".")[0], self._projects()
        if kind == "project":
            return subject
        if projects is None or not subject or kind not in RESOURCE_KINDS:
            return ""
        try:
            return await projects.project_of(kind, subject)
        except StoreUnavailable:
            return ""


LOGINS = frozenset({"user.login"})
"""Acts of those who are not known yet: the answer says who has come in."""


def _tells(status: int) -> bool:
    """Of a login: whether somebody came in or was refused. Requests that are no login cost a stranger nothing, and of
    those that the throttle turns away, the log has the ones before."""
    return status < 400 or status in (401, 403) or status >= 500


def _caller(caller: Principal | None) -> str:
    """For the daemon's log: of a login that is not recorded, this is what remains."""
    actor = actor_of(caller, client_address())
    return f"{actor.name or audit_notes().actor or 'nobody known'} from {actor.address}"


def _outcome(status: int) -> Outcome:
    return "success" if status < 400 else "refused" if status in (401, 403) else "failed"


def _about(act: str) -> tuple[str, str, str]:
    """Kind and id of the thing, by the path: its first parameter; and the other ones."""
    rule, given = request.url_rule, request.view_args or {}
    if {"kind", "resource_id"} <= given.keys():
        return str(given["kind"]), str(given["resource_id"]), str(given.get("project_id", ""))
    values = [str(given.get(name, "")) for name in parameters_of(rule.rule)] if rule is not None else []
    return kind_of(act), values[0] if values else "", "/".join(values[1:])


async def _shown(answer: Response) -> Json:
    """The JSON that is answered, as far as it is small and at hand."""
    if answer.status_code >= 400 or answer.mimetype != "application/json" or not isinstance(answer.response, DataBody):
        return None
    body = await answer.get_data(as_text=False)
    if not body or len(body) > _MOST_READ:
        return None
    try:
        return jsontext.loads(body)
    except InvalidInput:
        return None


def _first(shown: Json, names: tuple[str, ...]) -> str:
    """The first of these that the answer, or its `data`, has as a text."""
    for part in (shown, shown.get("data") if isinstance(shown, dict) else None):
        if isinstance(part, dict):
            for name in names:
                if isinstance(found := part.get(name), str) and found:
                    return found
    return ""


def _user(shown: Json) -> tuple[str, str]:
    """The user who has logged in."""
    for part in (shown, shown.get("data") if isinstance(shown, dict) else None):
        user = part.get("user") if isinstance(part, dict) else None
        if isinstance(user, dict):
            return str(user.get("id", "")), str(user.get("username", ""))
    return "", ""
