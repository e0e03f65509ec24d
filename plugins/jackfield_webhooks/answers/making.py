"""The answer to a caller: built from how a run was accepted, answered or ended."""

from __future__ import annotations

import base64
import binascii
from typing import TypeAlias

from jackfield.api import jsontext
from jackfield.api.asgi import error_body
from jackfield.api.binary import Content, Streamed, size_of
from jackfield.api.engine import Outcome
from jackfield.api.errors import ExecutionFailed, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeAnswer
from jackfield.api.records import record
from jackfield.api.storage import StoredAnswer
from jackfield.api.workflows import BinaryData
from jackfield_webhooks.answers.plans import AnswerPlan, HeaderPairs, clean, safe

_JSON: HeaderPairs = (("content-type", "application/json"),)
_NO_REQUEST = b'"requestId":""}'


@record
class FileAnswer:
    """An answer whose body is a kept file."""

    status: int
    headers: HeaderPairs
    body: Streamed


Answer: TypeAlias = "StoredAnswer | FileAnswer"

ACCEPTED = '{"message":"Workflow triggered","executionId":"'


def accepted(plan: AnswerPlan, execution_id: str) -> StoredAnswer:
    """The answer of onReceived."""
    return StoredAnswer(plan.code, _headers(plan, _JSON), accepted_text(plan, execution_id).encode("utf-8", "replace"))


def accepted_text(plan: AnswerPlan, execution_id: str) -> str:
    """Its body. The id is not known yet when the call is stored: then it is empty, see `with_execution`."""
    if plan.empty:
        return ""
    return plan.text if plan.text is not None else f'{ACCEPTED}{execution_id}"}}'


def with_execution(body: str, execution_id: str | None) -> str:
    """The stored body of an onReceived answer as the caller got it."""
    return f'{ACCEPTED}{execution_id}"}}' if execution_id and body == ACCEPTED + '"}' else body


def of_outcome(plan: AnswerPlan, outcome: Outcome, execution_id: str, file: Content | None = None) -> Answer:
    """The answer of lastNode. file: the content of the file to answer with, when its item does not hold it. Raises
    `ExecutionFailed`."""
    if outcome.status != "success":
        raise failed(execution_id)
    try:
        return _of_items(plan, outcome, file)
    except (ValueError, RecursionError):
        raise failed(execution_id, "The workflow's last node gave nothing that can be answered.") from None


def of_node(answer: NodeAnswer, execution_id: str) -> Answer:
    """The answer of a Respond to Webhook node. Raises `ExecutionFailed`."""
    if not 200 <= answer.status <= 599:
        raise failed(execution_id, "The Respond to Webhook node asked for a status that cannot be sent.")
    body = answer.body
    if isinstance(body, bytes):
        return StoredAnswer(answer.status, safe(clean(answer.headers), bool(body)), body)
    return made(answer.status, safe(clean(answer.headers), size_of(body) > 0), body)


def made(status: int, headers: HeaderPairs, body: Content) -> Answer:
    """The answer with this body."""
    return FileAnswer(status, headers, body) if isinstance(body, Streamed) else StoredAnswer(status, headers, body)


def repeated(execution_id: str) -> StoredAnswer:
    """For a repeated delivery whose first answer died with the process that was about to give it."""
    body = {"message": "This delivery was processed; its answer is not kept.", "executionId": execution_id}
    return StoredAnswer(200, _JSON, jsontext.dumps(body))


def failed(execution_id: str, message: str | None = None) -> ExecutionFailed:
    return ExecutionFailed(message, extra={"executionId": execution_id})


def of_error(error: JackfieldError) -> StoredAnswer:
    """An error without a request id, so that it can be given again; see `for_request`."""
    headers = [(name.lower(), value) for name, value in error.headers]
    if error.status == 503 and all(name != "retry-after" for name, _ in headers) and error.code == "STORE_UNAVAILABLE":
        headers.append(("retry-after", "1"))
    return StoredAnswer(error.status, (*_JSON, *headers), error_body(error, ""))


def for_request(answer: Answer, request_id: str) -> Answer:
    """The same answer; an error gets the id of the request that it answers."""
    return answer if isinstance(answer, FileAnswer) else numbered(answer, request_id)


def numbered(answer: StoredAnswer, request_id: str) -> StoredAnswer:
    """The same of an answer in memory."""
    if answer.status < 400 or not answer.body.endswith(_NO_REQUEST):
        return answer
    body = answer.body[: -len(_NO_REQUEST)] + f'"requestId":"{request_id}"}}'.encode()
    return StoredAnswer(answer.status, answer.headers, body)


def _of_items(plan: AnswerPlan, outcome: Outcome, file: Content | None) -> Answer:
    if plan.data == "noData" or plan.empty:
        return StoredAnswer(plan.code, plan.headers, b"")
    if plan.data == "allEntries":
        return _json(plan, [item["json"] for item in outcome.items])
    if plan.data == "firstEntryBinary":
        return _binary(plan, outcome, file)
    if not outcome.items:
        return _json(plan, {"message": "The workflow ended without an item to answer with."})
    value: Json = outcome.items[0]["json"]
    if plan.property_name:
        value = _property(value, plan.property_name)
    if plan.content_type:
        content = value.encode("utf-8", "replace") if isinstance(value, str) else jsontext.dumps(value)
        return StoredAnswer(plan.code, _headers(plan, (("content-type", plan.content_type),)), content)
    return _json(plan, value)


def file_of(plan: AnswerPlan, outcome: Outcome) -> BinaryData | None:
    """The file that firstEntryBinary answers with."""
    if plan.data != "firstEntryBinary" or not outcome.items:
        return None
    return outcome.items[0].get("binary", {}).get(plan.binary_property)


def _binary(plan: AnswerPlan, outcome: Outcome, content: Content | None) -> Answer:
    file = file_of(plan, outcome)
    if file is None:
        raise ValueError("no file")
    try:
        content = base64.b64decode(file["data"]) if content is None else content
    except (binascii.Error, KeyError, TypeError):
        raise ValueError("no base64") from None
    kind = plan.content_type or file.get("mimeType") or "application/octet-stream"
    return made(plan.code, _headers(plan, clean([("content-type", str(kind))])), content)


def _json(plan: AnswerPlan, value: Json) -> StoredAnswer:
    return StoredAnswer(plan.code, _headers(plan, _JSON), jsontext.dumps(value))


def _property(value: Json, path: str) -> Json:
    """`a.b[0].c` in a value; None where it leads nowhere."""
    for part in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _headers(plan: AnswerPlan, default: HeaderPairs) -> HeaderPairs:
    """The node's own headers beat ours."""
    if not plan.headers:
        return default if default is _JSON else safe(default, True)
    named = {name for name, _ in plan.headers}
    kept = tuple(pair for pair in default if pair[0] not in named)
    return safe((*kept, *plan.headers), True)
