"""A message: a record of the audit log, or an event of an execution, as every receiver gets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.events import Event
from jackfield.api.json_values import Json
from jackfield.api.n8n_events import n8n_name
from jackfield.api.records import record
from jackfield.api.storage.audit import AuditRow

KINDS = ("audit", "executions", "nodes")
TEST = "log-stream.test"
_ENDS: Mapping[str, str] = {"success": "n8n.workflow.success"}


@record
class StreamMessage:
    """`kind`: one of `KINDS`. `event`: its name. `at`: Unix ms. `failed`: whether something came to nothing. `number`:
    of a record of the audit log, by which a receiver recognises one that comes twice."""

    kind: str
    event: str
    at: int
    failed: bool
    body: Mapping[str, Json]
    number: int = 0


def wants(filters: Sequence[str], message: StreamMessage) -> bool:
    """filters: kinds, or kinds with the beginning of a name: `audit`, `audit:workflow.`, `audit:user.login`."""
    for each in filters:
        kind, _, name = each.partition(":")
        if kind == message.kind and (
            not name or message.event == name or (name.endswith(".") and message.event.startswith(name))
        ):
            return True
    return False


def of_audit(row: AuditRow, *, n8n: bool) -> StreamMessage:
    """n8n: under n8n's name where it has one. A record that somebody has damaged goes as far as its columns tell of
    it, marked: nobody stops a stream by spoiling a record."""
    body: dict[str, Json] = {**_told(row), "hash": row.hash.hex()}
    name = (n8n_name(row.act, row.outcome) if n8n else "") or row.act
    return StreamMessage("audit", name, row.at, row.outcome != "success", body, row.number)


def _told(row: AuditRow) -> Mapping[str, Json]:
    try:
        told = jsontext.loads(row.data)
    except InvalidInput:
        told = None
    if isinstance(told, dict):
        return told
    return {
        "number": row.number, "at": row.at, "act": row.act, "kind": row.kind, "subject": row.subject,
        "project": row.project, "outcome": row.outcome, "damaged": True,
    }  # fmt: skip


def of_event(event: Event, *, n8n: bool) -> Iterator[StreamMessage]:
    """Nothing for events that are about no execution."""
    data: Mapping[str, Json] = dict(event.data)  # type: ignore[arg-type]  # what goes over the bus is JSON
    if event.type == "execution.nodes":
        common = {"executionId": data.get("id"), "workflowId": data.get("workflowId")}
        nodes = data.get("nodes")
        for each in nodes if isinstance(nodes, list) else ():
            if isinstance(each, dict):
                failed = each.get("status") == "failed" or "error" in each
                told = {key: value for key, value in each.items() if not isinstance(value, dict | list)}
                name = "n8n.node.finished" if n8n else "node.finished"
                yield StreamMessage("nodes", name, event.time, failed, {**common, **told})
    elif event.type in ("execution.started", "execution.waiting", "execution.finished"):
        status = str(data.get("status", ""))
        failed = event.type == "execution.finished" and status != "success"
        name = _n8n_event(event.type, status) if n8n else ""
        yield StreamMessage("executions", name or event.type, event.time, failed, data)


def _n8n_event(name: str, status: str) -> str:
    if name == "execution.started":
        return "n8n.workflow.started"
    return _ENDS.get(status, "n8n.workflow.failed") if name == "execution.finished" else ""


def content(message: StreamMessage) -> bytes:
    """Its JSON: name, kind, time, and what it is about."""
    told = {"event": message.event, "kind": message.kind, "at": message.at, **message.body}
    return jsontext.dumps(told)
