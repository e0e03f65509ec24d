"""`/form-waiting`: pages that executions wait for, one after another under one address."""

from __future__ import annotations

from collections.abc import Mapping

from quart import Request, Response

from jackfield.api.binary import BinarySettings
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, WaitingCall
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.projects import RunReach, reaching
from jackfield.api.resume import FORM, ResumeLinks
from jackfield.api.triggers import served_nodes
from jackfield.api.workflows import Node
from jackfield_forms import rendering
from jackfield_forms.answer_items import page_item, parameters_of
from jackfield_forms.answering import FAILED, answer_of
from jackfield_forms.guarding import check_caller, check_own_page, check_password
from jackfield_forms.keeping import keep_files
from jackfield_forms.pages import SUBMITTED, FormPage, read_completion, read_page
from jackfield_forms.questions import QuestionPages
from jackfield_forms.receiving import Reception, client_of, headers_of
from jackfield_forms.rendering import RenderedPage
from jackfield_forms.settings import FormSettings
from jackfield_forms.trigger import NODES
from jackfield_forms.values import check

SOON_S, LATER_S = 1, 5
"""After how many seconds a page that has nothing to show yet looks again."""


class Continuing:
    """Serves form nodes, and Wait nodes with resume `form`."""

    def __init__(self, context: PluginContext, settings: FormSettings, reception: Reception) -> None:
        self._reception = reception
        self._context = context
        self._settings = settings
        self._links = ResumeLinks(context)
        self._questions = QuestionPages(context, settings, reception)

    async def serve(self, request: Request, token: str) -> RenderedPage | Response:
        """Raises `JackfieldError`."""
        link = self._links.answer(token)
        if link is not None:
            return await self._questions.serve(request, link)
        execution_id = self._links.execution_id(token)
        if execution_id is None:
            raise NotFound("There is no form at this address.")
        sending = request.method == "POST"
        if sending:
            check_own_page(headers_of(request))
        try:
            waiting = await self._context.port(Engine).waiting(execution_id)
        except Conflict as exc:
            if sending:
                raise
            return _state(str((exc.details or {}).get("status", "")))
        if waiting.call.get("kind") != "form":
            return rendering.wait_a_moment(LATER_S)
        await self._check(request, waiting)
        if sending:
            _check_page(request, waiting)
        if waiting.call.get("page") == "completion":
            return await self._complete(waiting)
        page = self._page(waiting)
        if not sending:
            return await rendering.form(
                page, _action(request, waiting), html_tags=self._settings.html_tags, query=request.args.to_dict()
            )
        return await self._submitted(request, waiting, page)

    async def _check(self, request: Request, waiting: WaitingCall) -> None:
        node = _guard(waiting)
        if node is not None:
            headers = headers_of(request)
            check_caller(node, client_of(request), headers)
            with reaching(RunReach(waiting.workflow.id, waiting.execution_id)):
                await check_password(self._context, node, headers)

    def _page(self, waiting: WaitingCall) -> FormPage:
        try:
            return read_page(parameters_of(waiting), _inherited(waiting))
        except ValueError as exc:
            raise NotFound(f"This form cannot be shown. {exc}") from None

    async def _complete(self, waiting: WaitingCall) -> RenderedPage:
        """The last page was looked at: the workflow goes on with the items that waited."""
        page = rendering.ending(read_completion(parameters_of(waiting)))
        try:
            await self._context.port(Engine).resume(waiting, None)
        except Conflict:
            self._context.log.debug("The last page is shown again.", extra={"executionId": waiting.execution_id})
        return page

    async def _submitted(self, request: Request, waiting: WaitingCall, page: FormPage) -> RenderedPage | Response:
        sent = await self._reception.read(request)
        checked = check(page.fields, sent, self._context.settings(BinarySettings).inline_limit)
        if checked.mistakes:
            return await rendering.form(
                page,
                _action(request, waiting),
                html_tags=self._settings.html_tags,
                sent=sent,
                mistakes=checked.mistakes,
            )
        del sent  # the files of which the item has those that are small; the others are kept before anything else
        await keep_files(self._context, checked, waiting.execution_id)
        execution = await self._context.port(Engine).resume(waiting, [page_item(self._context, waiting, checked)])
        if waiting.node.kind == "wait":
            return await answer_of(page, execution, self._settings.response_timeout)
        return Response(
            "", 303, {"Location": f"/{FORM}/{self._links.token(execution.id)}", "Cache-Control": "no-store"}
        )


def _action(request: Request, waiting: WaitingCall) -> str:
    """Where the form is sent. All pages have one address, so that it says which one it is."""
    return f"{request.path}?page={waiting.index}"


def _check_page(request: Request, waiting: WaitingCall) -> None:
    """Raises `Conflict` for a page that was sent before, and sent again by a browser's way back."""
    page = request.args.get("page", str(waiting.index))
    if page != str(waiting.index) or waiting.call.get("page") == "completion":
        raise Conflict("This page was sent already; go on with the current one.")


def _first(waiting: WaitingCall) -> Node | None:
    """The form's first page: that at which the execution began, since a workflow may have several."""
    forms = served_nodes(waiting.workflow, NODES)
    return next((node for node in forms if node.name == waiting.start), forms[0] if forms else None)


def _guard(waiting: WaitingCall) -> Node | None:
    """The node that says who may see the page: a Wait node's own, else the form's first page."""
    return waiting.node if waiting.node.kind == "wait" else _first(waiting)


def _inherited(waiting: WaitingCall) -> Mapping[str, Json]:
    first = _first(waiting)
    return first.parameters if first is not None and waiting.node.kind != "wait" else {}


def _state(status: str) -> RenderedPage:
    """The page to see while, or after, the execution does not wait for a form."""
    if status in ("queued", "running"):
        return rendering.wait_a_moment(SOON_S)
    if status == "waiting":
        return rendering.wait_a_moment(LATER_S)
    if status in ("failed", "cancelled"):
        return rendering.problem(500, FAILED)
    return rendering.message("Thank you", SUBMITTED)
