"""Pages of questions (`jackfield.api.questions`): a link shows its answer as a button, or the form of the question.

To read a link answers nothing. Chats, mail scanners and browsers read links before anybody has seen them, and no list
of their names is complete.
"""

from __future__ import annotations

from quart import Request

from jackfield.api.binary import BinarySettings
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, WaitingCall
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.questions import APPROVAL, CALL
from jackfield.api.resume import AnswerLink
from jackfield.api.workflows import Item
from jackfield_forms import rendering
from jackfield_forms.answer_items import approval_item, labels_of, parameters_of, question_item
from jackfield_forms.guarding import check_own_page
from jackfield_forms.keeping import keep_files
from jackfield_forms.pages import SUBMITTED, FormPage, read_page
from jackfield_forms.receiving import Reception, headers_of
from jackfield_forms.rendering import RenderedPage
from jackfield_forms.settings import FormSettings
from jackfield_forms.values import check

OVER = "This question waits for no answer any more: somebody has answered it, or its time is over."


class QuestionPages:
    """Serves the links of questions, whichever node has asked."""

    def __init__(self, context: PluginContext, settings: FormSettings, reception: Reception) -> None:
        self._context = context
        self._settings = settings
        self._reception = reception

    async def serve(self, request: Request, link: AnswerLink) -> RenderedPage:
        """Raises `JackfieldError`."""
        sending = request.method == "POST"
        if sending:
            check_own_page(headers_of(request))
        waiting = await self._waiting(link)
        if waiting.call.get("response") != APPROVAL:
            return await self._form(request, waiting, sending)
        label = _label(waiting, link)
        if not sending:
            return _decision(request, waiting, label)
        return await self._answered(waiting, approval_item(self._context, approved=link.approved))

    async def _waiting(self, link: AnswerLink) -> WaitingCall:
        """Raises `Conflict` where the execution does not wait for this question."""
        try:
            waiting = await self._context.port(Engine).waiting(link.execution_id)
        except (Conflict, NotFound):
            raise Conflict(OVER) from None
        if waiting.call.get("kind") != CALL or waiting.call.get("question") != link.question:
            raise Conflict(OVER)
        return waiting

    async def _form(self, request: Request, waiting: WaitingCall, sending: bool) -> RenderedPage:
        page = _page(waiting)
        if not sending:
            return await rendering.form(page, request.path, html_tags=self._settings.html_tags)
        sent = await self._reception.read(request)
        checked = check(page.fields, sent, self._context.settings(BinarySettings).inline_limit)
        if checked.mistakes:
            return await rendering.form(
                page, request.path, html_tags=self._settings.html_tags, sent=sent, mistakes=checked.mistakes
            )
        del sent  # as for pages that executions wait for
        await keep_files(self._context, checked, waiting.execution_id)
        return await self._answered(waiting, question_item(self._context, checked))

    async def _answered(self, waiting: WaitingCall, item: Item) -> RenderedPage:
        try:
            await self._context.port(Engine).resume(waiting, [item])
        except Conflict:
            raise Conflict(OVER) from None
        return rendering.message("Thank you", SUBMITTED)


def _label(waiting: WaitingCall, link: AnswerLink) -> str:
    """Of the button. Raises `NotFound` for an answer that the question does not offer."""
    label = labels_of(waiting).get("yes" if link.approved else "no")
    if label is None:
        raise NotFound("There is no such answer to this question.")
    return label


def _decision(request: Request, waiting: WaitingCall, label: str) -> RenderedPage:
    title = str(waiting.call.get("title") or "") or "Your answer is needed"
    return rendering.decision(title, str(waiting.call.get("message") or ""), label, request.path)


def _page(waiting: WaitingCall) -> FormPage:
    """Raises `NotFound`."""
    try:
        return read_page(parameters_of(waiting))
    except ValueError as exc:
        raise NotFound(f"This form cannot be shown. {exc}") from None
