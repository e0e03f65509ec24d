"""The entries of the inbox: questions of executions by the store, requests of agents by every host's own list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from jackfield.api.approvals import OpenQuestions, WaitingQuestion, WaitingQuestions
from jackfield.api.asgi import WITHOUT_AGENTS, Scope
from jackfield.api.auth import AGENTS_READ, AGENTS_WRITE, Principal
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, JackfieldError, NotFound, UpstreamFailed
from jackfield.api.hosts import HostUnavailable
from jackfield.api.json_values import Json
from jackfield.api.own_calls import OwnAnswer, OwnCalls
from jackfield.api.records import record
from jackfield_approvals.http.options import option_views
from jackfield_approvals.paths import AGENTS

EXECUTIONS_READ, EXECUTE = "executions:read", "workflows:execute"
"""A waiting execution is seen by who sees executions, and goes on for who may start them."""
Row = dict[str, Json]


@record
class FoundRows:
    rows: list[Row]
    complete: bool = True


class Inbox:
    """For one caller. scope: of the request that the gate has let in."""

    def __init__(self, context: PluginContext, scope: Scope, caller: Principal) -> None:
        self._context = context
        self._scope = scope
        self._caller = caller

    async def rows(self, kind: str | None, state: str) -> FoundRows:
        """Newest first. Raises `AccessDenied` for a caller who may see none of them, `StoreUnavailable`."""
        found: list[Row] = []
        complete = True
        sees_questions, sees_agents = self._caller.may(EXECUTIONS_READ), self._caller.may(AGENTS_READ)
        if self._scope.get(WITHOUT_AGENTS) and kind != "permission":
            sees_agents = False  # the rest of the inbox is there for a public host that reaches no agents
        if not sees_questions and not sees_agents:
            self._caller.require(EXECUTIONS_READ)
        if sees_questions and kind != "permission" and state in ("open", "all"):
            questions = await self._questions()
            complete = questions.complete
            found += [self._question_row(one) for one in questions.rows if kind in (None, one.kind)]
        if sees_agents and kind in (None, "permission"):
            agents = await self._agents()
            complete = complete and agents.complete
            found += [row for row in agents.rows if state in ("all", row["state"])]
        return FoundRows(sorted(found, key=lambda row: str(row["askedAt"]), reverse=True), complete)

    async def one(self, id: str) -> Row:
        """Raises `NotFound`, `AccessDenied`."""
        if is_question(id):
            self._caller.require(EXECUTIONS_READ)
            return self._question_row(await self._waiting().find(id))
        self._caller.require(AGENTS_READ)
        return _agent_row(_data(await self._ask("GET", f"{AGENTS}/{_segment(id)}")))

    async def answer(self, id: str, option: str, note: str, fields: Mapping[str, Json]) -> Row:
        """The entry as it is then. Raises `JackfieldError`."""
        if not is_question(id):
            self._caller.require(AGENTS_WRITE)
            if fields:
                raise InvalidInput("An agent's request has no fields.", details={"fields": "leave it out"})
            body: Json = {"option": option, "note": note}
            return _agent_row(_data(await self._ask("POST", f"{AGENTS}/{_segment(id)}", body)))
        self._caller.require(EXECUTE)
        if note:
            raise InvalidInput("Only an agent's request takes a note.", details={"note": "leave it out"})
        waiting = self._waiting()
        question = await waiting.find(id)
        await waiting.answer(id, option, fields)
        answered: Row = {
            "state": "answered",
            "answer": option or None,
            "answeredBy": self._caller.username,
            "url": None,
        }
        return self._question_row(question) | answered

    def _waiting(self) -> WaitingQuestions:
        found = self._context.find_port(WaitingQuestions)
        if found is None:
            raise NotFound("No loaded plugin knows the questions of executions.")
        return found

    async def _questions(self) -> OpenQuestions:
        found = self._context.find_port(WaitingQuestions)
        return OpenQuestions(()) if found is None else await found.open()

    async def _agents(self) -> FoundRows:
        try:
            answer = await self._ask("GET", AGENTS)
        except UpstreamFailed:  # requests of all hosts are too large together
            return FoundRows([], complete=False)
        whole = answer.data if isinstance(answer.data, dict) else {}
        listed = whole.get("data")
        rows = [_agent_row(row) for row in (listed if isinstance(listed, list) else []) if isinstance(row, dict)]
        return FoundRows(rows, not whole.get("missing_hosts"))

    async def _ask(self, method: str, path: str, body: Json = None) -> OwnAnswer:
        """As its own request, which goes to the host that has the agent."""
        found = await self._context.port(OwnCalls).call(self._scope, method, path, body=body)
        if found.status >= 300:
            raise _refusal(found)
        return found

    def _question_row(self, one: WaitingQuestion) -> Row:
        may = self._caller.may(EXECUTE)
        return {
            **_EMPTY,
            "id": one.id,
            "kind": one.kind,
            "state": "open",
            "title": one.title,
            "message": one.message,
            "askedAt": iso(one.asked_ms),
            "until": None if one.until_ms is None else iso(one.until_ms),
            "options": option_views(one.options),
            "fields": [dict(each) for each in one.fields],
            "url": one.url if may and one.url else None,
            "executionId": one.execution_id,
            "workflowId": one.workflow_id,
            "workflow": one.workflow,
            "node": one.node,
            "test": one.test,
            "tool": one.tool or None,
            "input": one.input,
        }


_EMPTY: Mapping[str, Json] = dict.fromkeys(
    ("until", "url", "executionId", "workflowId", "workflow", "node", "profile", "askedBy", "sessionId", "tool",
     "input", "host", "answer", "answeredBy", "closedAt")
) | {"message": "", "fields": [], "cut": False, "test": False}  # fmt: skip


def is_question(id: str) -> bool:
    """Of an execution; ids of agents' requests have no point."""
    return "." in id


def _agent_row(row: Mapping[str, Json]) -> Row:
    title = str(row.get("title") or "") or f"{row.get('profile')} wants to use {row.get('tool')}"
    return {
        **_EMPTY,
        "id": row.get("id"),
        "kind": "permission",
        "state": row.get("state"),
        "title": title,
        "askedAt": row.get("asked_at"),
        "until": row.get("until"),
        "options": row.get("options"),
        "executionId": row.get("execution_id"),
        "profile": row.get("profile"),
        "askedBy": row.get("asked_by"),
        "sessionId": row.get("session_id"),
        "tool": row.get("tool"),
        "input": row.get("input"),
        "cut": row.get("cut"),
        "host": row.get("host"),
        "answer": row.get("answer"),
        "answeredBy": row.get("answered_by"),
        "closedAt": row.get("closed_at"),
    }


def _data(answer: OwnAnswer) -> Mapping[str, Json]:
    found = answer.data.get("data") if isinstance(answer.data, dict) else None
    return found if isinstance(found, dict) else {}


def _refusal(answer: OwnAnswer) -> JackfieldError:
    body = answer.data if isinstance(answer.data, dict) else {}
    told = str(body.get("error") or f"The host of the agent answered with the status {answer.status}.")
    details = body.get("details")
    made = _REFUSALS.get(answer.status, HostUnavailable)
    return made(told, code=str(body.get("code") or "") or None, details=details if isinstance(details, dict) else None)


_REFUSALS: Mapping[int, type[JackfieldError]] = {
    kind.status: kind for kind in (InvalidInput, AccessDenied, NotFound, Conflict)
}
"""By the status of the other operation's answer."""


def _segment(id: str) -> str:
    """Raises `NotFound` for what leads elsewhere."""
    if "/" in id or id in ("", ".", ".."):
        raise NotFound(f"There is no approval {id[:100]}.", code="APPROVAL_NOT_FOUND")
    return quote(id, safe="")


def page(rows: Sequence[Row], offset: int, limit: int) -> list[Row]:
    return list(rows[offset : offset + limit])
