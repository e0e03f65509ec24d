"""Questions: a node sends a message with links, and its execution waits until somebody has answered.

The parameters are those of n8n's operation *Send and Wait for Response*, whichever service brings the message. The node
sends `Question.choices` and returns `suspended(...)`; pages of forms serve the links. Source: n8n's source code,
`getSendAndWaitConfig`, `configureWaitTillDate` and `sendAndWaitWebhook`.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from .dates import iana_zone
from .form_fields import plain, read_fields
from .jsontext import Json
from .nodes import REVIEW_FORM, NodeError, NodeRun, Suspend
from .nodes.items import pass_all
from .records import record
from .resume import ResumeLinks

CALL = "answer"
"""`kind` of what such an execution waits for; see `Suspend.call`."""
TOOL, INPUT = "tool", "input"
"""Where it has the call of a tool that the question is about."""
APPROVAL, FREE_TEXT, CUSTOM_FORM = "approval", "freeText", "customForm"
RESPONSES = (APPROVAL, FREE_TEXT, CUSTOM_FORM)
_UNITS_MS = {"minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
_MARKDOWN = re.compile(r"[\\`*_~|<>\[\]()#@]")
"""Signs that begin markup in a message of a chat."""
LONGEST_MS = 100 * 366 * 86_400_000


@record
class Wording:
    """The labels of a service's buttons where *Approval options* are there without labels."""

    approve: str = "Approve"
    decline: str = "Decline"


@record
class Choice:
    """A link of the message. style: primary or secondary."""

    label: str
    url: str
    style: str
    approved: bool


@record
class Question:
    """`id`: of this run of the node, the same when the run is repeated.

    `title`: empty where the service has none. `message`: for the service, with line ends instead of `<br>`. `page`:
    what the page needs, as JSON. `literal`: every sign of the message stands for itself, as an agent's parameters are
    in it, which must not look like something else. Otherwise it may have markup.
    """

    id: str
    title: str
    message: str
    choices: Sequence[Choice]
    page: Mapping[str, Json]
    literal: bool = False


def asked(run: NodeRun, links: ResumeLinks, parameters: Mapping[str, Json], wording: Wording) -> Question:
    """The question of the node's parameters. Raises `NodeError` naming the parameter that is wrong, before anything is
    sent."""
    ident = _identity(run)
    response = parameters.get("responseType") or APPROVAL
    if response not in RESPONSES:
        raise NodeError(f"The parameter responseType must be one of {', '.join(RESPONSES)}.")
    literal = run.node.type.endswith(REVIEW_FORM)
    message = plain(parameters.get("message")).strip()
    if not literal:
        message = _lines(_unescaped(message).strip())
    title = _unescaped(plain(parameters.get("subject")))
    options = _object(parameters.get("options"))
    if response == APPROVAL:
        buttons = _buttons(_object(_object(parameters.get("approvalOptions")).get("values")), wording)
        page: dict[str, Json] = {
            "title": title,
            "message": message,
            "labels": {_key(yes): text for text, _, yes in buttons},
        }
    else:
        buttons = [(plain(options.get("messageButtonLabel")) or "Respond", "primary", True)]
        page = {"parameters": _form(parameters, options, response == FREE_TEXT)}
    choices = [
        Choice(text, links.answer_url(run.execution.id, ident, approved), style, approved)
        for text, style, approved in buttons
    ]
    return Question(ident, title, message, choices, {"response": response, **page}, literal)


def suspended(run: NodeRun, question: Question, parameters: Mapping[str, Json], now_ms: int) -> Suspend:
    """The wait for the answer, which is the node's output then; without one in time its items go on. Raises `NodeError`
    for a limit that is none, so make it before the message is sent."""
    limit = _object(_object(_object(parameters.get("options")).get("limitWaitTime")).get("values"))
    until = _until(limit, now_ms, run.execution.timezone) if limit else None
    call: dict[str, Json] = {"kind": CALL, "question": question.id, **question.page}
    return Suspend(until, pass_all(run.items), call)


def as_json(question: Question) -> dict[str, Json]:
    """The JSON that templates of descriptions see."""
    choices: list[Json] = [
        {"label": one.label, "url": one.url, "style": one.style, "approved": one.approved} for one in question.choices
    ]
    return {
        "title": question.title,
        "message": question.message,
        "messageHtml": _message_html(question).replace("\n", "<br>") if question.literal else question.message,
        "messageMarkdown": _MARKDOWN.sub(r"\\\g<0>", question.message) if question.literal else question.message,
        "format": "text" if question.literal else "markup",
        "choices": choices,
        "html": mail_html(question),
    }


def mail_html(question: Question) -> str:
    """The message and its links as the HTML of a mail. The message may have its own HTML, as the bodies of other
    mails, when it is not literal; labels may not."""
    buttons = "\n".join(
        f'<a href="{html.escape(one.url)}" target="_blank" style="{_BUTTON}{_COLORS[one.style == "primary"]}">'
        f"{html.escape(one.label)}</a>"
        for one in question.choices
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="UTF-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(question.title)}</title>\n</head>\n"
        '<body style="margin:0;padding:24px;background:#f4f5f7;font-family:Arial,sans-serif;color:#1c2024">\n'
        '<div style="max-width:544px;margin:0 auto;padding:24px;background:#fff;border:1px solid #c3c9d1;'
        'border-radius:12px">\n'
        f'<p style="margin:0 0 16px;white-space:pre-line">{_message_html(question)}</p>\n{buttons}\n'
        "</div>\n</body>\n</html>\n"
    )


def _message_html(question: Question) -> str:
    return html.escape(question.message) if question.literal else question.message


_BUTTON = (
    "display:inline-block;margin:8px 8px 0 0;padding:12px 24px;border:1px solid #2d5bd0;border-radius:8px;"
    "font-weight:600;text-decoration:none;"
)
_COLORS = {True: "background:#2d5bd0;color:#fff", False: "background:#fff;color:#2d5bd0"}


def _identity(run: NodeRun) -> str:
    return hashlib.sha256(run.idempotency_key(0).encode()).hexdigest()[:16]


def _key(approved: bool) -> str:
    return "yes" if approved else "no"


def _buttons(values: Mapping[str, Json], wording: Wording) -> list[tuple[str, str, bool]]:
    """Label, style, and whether it approves."""
    label = _unescaped(plain(values.get("approveLabel", wording.approve if values else ""))) or "Approve"
    approve = (label, plain(values.get("buttonApprovalStyle")) or "primary", True)
    if values.get("approvalType") != "double":
        return [approve]
    label = _unescaped(plain(values.get("disapproveLabel", wording.decline))) or "Disapprove"
    return [(label, plain(values.get("buttonDisapprovalStyle")) or "secondary", False), approve]


def _form(parameters: Mapping[str, Json], options: Mapping[str, Json], free_text: bool) -> dict[str, Json]:
    """The parameters of the page, as those of a form. Raises `NodeError`."""
    told: dict[str, Json] = (
        {"formFields": {"values": [_RESPONSE]}}
        if free_text
        else {name: parameters[name] for name in ("defineForm", "formFields", "jsonOutput") if name in parameters}
    )
    description = plain(options.get("responseFormDescription")) or plain(parameters.get("message"))
    told |= {
        "formTitle": plain(options.get("responseFormTitle")),
        "formDescription": _lines(description),
        "options": {
            "buttonLabel": plain(options.get("responseFormButtonLabel")),
            "customCss": plain(options.get("responseFormCustomCss")),
        },
    }
    try:
        read_fields(told)
    except ValueError as exc:
        name = "jsonOutput" if told.get("defineForm") == "json" else "formFields"
        raise NodeError(f"The parameter {name} is not valid: {exc}") from None
    return told


_RESPONSE: Json = {"fieldLabel": "Response", "fieldName": "text", "fieldType": "textarea", "requiredField": True}


def _until(limit: Mapping[str, Json], now_ms: int, timezone: str) -> int:
    if limit.get("limitType") == "atSpecifiedTime":
        return _moment(limit.get("maxDateAndTime"), timezone)
    amount, unit = limit.get("resumeAmount", 1), str(limit.get("resumeUnit") or "hours")
    if not isinstance(amount, int | float) or isinstance(amount, bool) or unit not in _UNITS_MS:
        raise NodeError(
            "The parameter options.limitWaitTime needs a number resumeAmount, and minutes, hours or days as resumeUnit."
        )
    length = amount * _UNITS_MS[unit]
    if not 0 <= length <= LONGEST_MS:
        raise NodeError("The parameter options.limitWaitTime.resumeAmount must be at least 0 and at most 100 years.")
    return now_ms + round(length)


def _moment(value: Json, timezone: str) -> int:
    try:
        moment = datetime.fromisoformat(plain(value))
        placed = moment if moment.tzinfo else moment.replace(tzinfo=iana_zone(timezone))
        return round(placed.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise NodeError(
            "The parameter options.limitWaitTime.maxDateAndTime is not a date; use ISO 8601, such as 2026-01-31T12:00."
        ) from None


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _unescaped(text: str) -> str:
    """n8n takes these entities for what they stand for."""
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text


def _lines(text: str) -> str:
    return text.replace("\\n", "\n").replace("<br>", "\n")
