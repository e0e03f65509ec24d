"""`/form` and `/form-test`: the first page, and the execution that its submission starts."""

from __future__ import annotations

import asyncio
from typing import Literal

from quart import Request, Response

from jackfield.api.binary import BinarySettings
from jackfield.api.body_budget import TakenMemory
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Engine, Execution, ExecutionRequest
from jackfield.api.errors import Conflict, NotFound, StoreUnavailable, WorkflowInactive
from jackfield.api.jsontext import Json
from jackfield.api.projects import reaching, run_reach
from jackfield.api.resume import FORM, ResumeLinks
from jackfield.api.storage import Webhook
from jackfield.api.tracing import named_span
from jackfield.api.triggers import served_nodes
from jackfield.api.workflows import Item, Node, Workflow
from jackfield_forms import rendering
from jackfield_forms.answering import answer_of
from jackfield_forms.guarding import check_caller, check_own_page, check_password
from jackfield_forms.keeping import keep_files
from jackfield_forms.pages import FormPage, read_page
from jackfield_forms.receiving import Reception, client_of, headers_of
from jackfield_forms.rendering import RenderedPage
from jackfield_forms.settings import FormSettings
from jackfield_forms.trigger import KIND, NODES, path_of
from jackfield_forms.values import check, item_of


class Starting:
    """Serves Form Trigger nodes."""

    def __init__(self, context: PluginContext, settings: FormSettings, reception: Reception) -> None:
        self._reception = reception
        self._context = context
        self._settings = settings
        self._links = ResumeLinks(context)

    async def serve(self, request: Request, path: str, *, test: bool) -> RenderedPage | Response:
        """The form, or what follows its submission. Raises `JackfieldError`."""
        workflow, node = await self._node(path.strip("/"), test)
        headers = headers_of(request)
        if request.method == "POST":
            check_own_page(headers)
        check_caller(node, client_of(request), headers)
        with reaching(run_reach(workflow.id)):
            await check_password(self._context, node, headers)
        try:
            page = read_page(node.parameters)
        except ValueError as exc:
            raise NotFound(f"This form cannot be shown. {exc}") from None
        if request.method != "POST":
            return await rendering.form(
                page, request.full_path.rstrip("?"), html_tags=self._settings.html_tags, query=request.args.to_dict()
            )
        return await self._submitted(request, workflow, node, page, test)

    async def _node(self, path: str, test: bool) -> tuple[Workflow, Node]:
        """The live form; for a test any saved one. Raises `NotFound`, `WorkflowInactive`."""
        found = await self._context.store.webhooks_by_path("/" + path, kind=KIND)
        rows = found if test else [row for row in found if row.active]
        for row in rows:
            workflow = await self._context.port(WorkflowReader).load(row.workflow_id)
            node = _find(workflow, row, path)
            if node is not None:
                return workflow, node
        if found:
            raise WorkflowInactive("This form is not open now.")
        raise NotFound("There is no form at this address.")

    async def _submitted(
        self, request: Request, workflow: Workflow, node: Node, page: FormPage, test: bool
    ) -> RenderedPage | Response:
        sent = await self._reception.read(request)
        checked = check(page.fields, sent, self._context.settings(BinarySettings).inline_limit)
        if checked.mistakes:
            return await rendering.form(
                page,
                request.full_path.rstrip("?"),
                html_tags=self._settings.html_tags,
                sent=sent,
                mistakes=checked.mistakes,
            )
        memory = sent.memory
        del sent  # the files of which the item has those that are small; the others are kept before anything else
        more: dict[str, Json] = {
            "submittedAt": iso(self._context.clock.now_ms()),
            "formMode": "test" if test else "production",
        }
        if request.args:
            more["formQueryParameters"] = dict(request.args.to_dict())
        execution_id = await keep_files(self._context, checked)
        execution = await self._start(
            request, workflow, node, page, item_of(checked, **more), execution_id, memory, "test" if test else "webhook"
        )
        if goes_on(workflow):
            return Response(
                "", 303, {"Location": f"/{FORM}/{self._links.token(execution.id)}", "Cache-Control": "no-store"}
            )
        return await answer_of(page, execution, self._settings.response_timeout)

    async def _start(
        self,
        request: Request,
        workflow: Workflow,
        node: Node,
        page: FormPage,
        item: Item,
        execution_id: str | None,
        memory: TakenMemory | None,
        mode: Literal["webhook", "test"],
    ) -> Execution:
        """Returns once it is durable. Raises `StoreUnavailable`."""
        try:
            execution = self._context.port(Engine).submit(
                ExecutionRequest(
                    workflow=workflow,
                    mode=mode,
                    start=node.name,
                    items=[item],
                    use_pin_data=mode == "test",
                    request_id=str(request.scope.get("jackfield.request_id") or "") or None,
                    response_node=page.mode == "responseNode",
                    id=execution_id,
                    memory=memory,
                    caller=named_span(self._context, request.scope["headers"]),
                )
            )
        except Conflict:
            raise StoreUnavailable("The daemon is stopping; send the form again in a moment.") from None
        await asyncio.shield(execution.accepted)
        return execution


def _find(workflow: Workflow, row: Webhook, path: str) -> Node | None:
    fits = [node for node in served_nodes(workflow, NODES) if path_of(node) == path]
    return next((node for node in fits if node.id == row.node_id), fits[0] if fits else None)


def goes_on(workflow: Workflow) -> bool:
    """Whether the workflow has further pages."""
    return bool(served_nodes(workflow, ("form",)))
