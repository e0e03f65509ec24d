"""The page that is shown once a form was sent, as its response mode says."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from quart import Response

from jackfield.api import jsontext
from jackfield.api.binary import Streamed
from jackfield.api.engine import Execution
from jackfield.api.errors import ExecutionFailed, ExecutionTimeout, InvalidInput, NoResponseNode
from jackfield.api.form_fields import plain
from jackfield.api.http import response_of
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeAnswer
from jackfield.api.workflows import Items
from jackfield_forms import rendering
from jackfield_forms.pages import Ending, FormPage, is_web_address
from jackfield_forms.rendering import RenderedPage

T = TypeVar("T")
FAILED = "The form was received, but could not be worked on."
_SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts"
"""A page from a workflow has its own origin."""


async def answer_of(page: FormPage, execution: Execution, limit: float) -> RenderedPage | Response:
    """limit: seconds. Raises `ExecutionFailed`, `ExecutionTimeout`, `NoResponseNode`, `StoreUnavailable`."""
    if page.mode == "lastNode":
        outcome = await _within(execution.finished, limit)
        if outcome.status != "success":
            raise ExecutionFailed(FAILED)
        return rendering.ending(_told(outcome.items) or page.ending, page.css)
    if page.mode == "responseNode":
        answer = await _within(execution.answer, limit)
        if answer is None:
            outcome = await _within(execution.finished, limit)
            raise NoResponseNode if outcome.status == "success" else ExecutionFailed(FAILED)
        return _of_node(page, answer)
    return rendering.ending(page.ending, page.css)


async def _within(future: asyncio.Future[T], limit: float) -> T:
    try:
        return await asyncio.wait_for(asyncio.shield(future), limit)
    except TimeoutError:
        raise ExecutionTimeout("The form was received; its result takes longer than expected.") from None


def _of_node(page: FormPage, answer: NodeAnswer) -> RenderedPage | Response:
    """A Respond node's JSON may name the text or the address to end with; anything else is sent as it is."""
    told = _told(_as_items(answer))
    if told is not None:
        return rendering.ending(told, page.css)
    made = response_of(answer.body, answer.status)
    del made.headers["Content-Type"]
    for name, value in answer.headers:
        made.headers.add(name, value)
    made.headers["Content-Security-Policy"] = _SANDBOX
    made.headers["X-Content-Type-Options"] = "nosniff"
    return made


def _as_items(answer: NodeAnswer) -> Items:
    kinds = [value.lower() for name, value in answer.headers if name.lower() == "content-type"]
    if isinstance(answer.body, Streamed) or not any("json" in kind for kind in kinds):
        return []
    try:
        found: Json = jsontext.loads(answer.body)
    except InvalidInput:
        return []
    return [{"json": found}] if isinstance(found, dict) else []


def _told(items: Items) -> Ending | None:
    """The words of the last item about the ending."""
    json = items[-1]["json"] if items else {}
    address = plain(json.get("redirectURL"))
    if is_web_address(address):
        return Ending(redirect=address)
    text = plain(json.get("formSubmittedText"))
    return Ending(text=text) if text else None
