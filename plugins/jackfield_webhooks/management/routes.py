"""Management: `/api/v1/webhooks`."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response, request
from quart.blueprints import BlueprintSetupState
from werkzeug.routing import PathConverter

from jackfield.api.body_budget import budget_of, taken_for
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import Conflict, MethodNotAllowed, NotFound
from jackfield.api.http import client_address, json_response, operation, principal, read_model, read_query, taken_memory
from jackfield.api.storage import Webhook, WebhookStats
from jackfield_webhooks import paths
from jackfield_webhooks.authentication import credentials
from jackfield_webhooks.authentication.presets import PresetCatalog
from jackfield_webhooks.hook import node_of
from jackfield_webhooks.management import dry_run, views
from jackfield_webhooks.management.schemas import (
    CallHistory,
    HistoryQuery,
    PresetList,
    TestCallRequest,
    TestCallResult,
    WebhookDetail,
    WebhookList,
    WebhooksQuery,
)
from jackfield_webhooks.management.sending import send
from jackfield_webhooks.parameters import HookParameters, read
from jackfield_webhooks.routing.registry import HookSource, RouteRegistry
from jackfield_webhooks.settings import WebhookSettings

_SCOPE = "webhooks:read"


class IdentConverter(PathConverter):
    """An id or a path, whose leading slash arrives decoded."""

    regex = ".+?"
    part_isolating = False


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("webhooks", __name__, url_prefix="/api/v1/webhooks")
    made.record(_add_converter)
    registry = context.port(RouteRegistry)

    @made.get("")
    @operation("List webhooks", scope=_SCOPE, query=WebhooksQuery, response=WebhookList, tags=["webhooks"])
    async def list_webhooks() -> Response:
        query = read_query(WebhooksQuery)
        page = await context.store.webhooks(
            offset=query.offset,
            limit=query.limit,
            active=query.active,
            workflow_id=query.workflow_id,
            kind=registry.kinds(),
        )
        tests = paths.tests_enabled(context)
        rows = [views.item(webhook, context.service.public_url, tests) for webhook in page.rows]
        if query.stats:
            found = await context.store.webhooks_stats([webhook.id for webhook in page.rows])
            for row, webhook in zip(rows, page.rows, strict=True):
                row["stats"] = views.counts(found.get(webhook.id, WebhookStats()))
        return json_response({"data": rows, "total": page.total})

    @made.get("/<webhook:ident>")
    @operation(
        "Show a webhook, by its id or its path",
        operation_id="getWebhook",
        scope=_SCOPE,
        response=WebhookDetail,
        tags=["webhooks"],
        errors=(Conflict, MethodNotAllowed),
    )
    async def show_webhook(ident: str) -> Response:
        if ident.endswith("/test") and not await _by_path(context, ident):
            raise MethodNotAllowed(["POST"])
        return json_response(await _detail(context, await _find(context, ident)))

    @made.get("/<webhook:ident>/history")
    @operation(
        "List a webhook's calls, the newest first",
        operation_id="listWebhookCalls",
        scope=_SCOPE,
        query=HistoryQuery,
        response=CallHistory,
        tags=["webhooks"],
        errors=(Conflict,),
    )
    async def list_calls(ident: str) -> Response:
        query = read_query(HistoryQuery)
        # A webhook's own path may end like this.
        named = await _by_path(context, f"{ident}/history")
        if named:
            return json_response(await _detail(context, _only(named)))
        # Triggers with their own addresses have calls too.
        webhook = await context.store.webhook(ident) or _only(await _by_path(context, ident))
        page = await context.store.calls(
            webhook.id,
            status=query.status,
            offset=query.offset,
            limit=query.limit,
        )
        return json_response({"data": [views.call(stored) for stored in page.rows], "total": page.total})

    @made.post("/<webhook:ident>/test")
    @operation(
        "Check whether a call would be taken, and with `send` make it as a test",
        scope=_SCOPE,
        request=TestCallRequest,
        response=TestCallResult,
        tags=["webhooks"],
        errors=(Conflict,),
    )
    async def test_webhook(ident: str) -> Response:
        webhook = await _find(context, ident)
        wanted = await read_model(TestCallRequest)
        if wanted.send:
            principal().require("workflows:execute")
        workflow = await context.port(WorkflowReader).load(webhook.workflow_id)
        hook = await context.port(HookSource).make(webhook, workflow)
        if hook is None:
            raise NotFound("This webhook has just been changed; try again.")
        # The checked body is a second copy, beside the one inside of this request.
        copied = taken_memory()
        second = taken_for(request.scope, copied.size) if copied is not None else None
        found = await dry_run.check(context, context.settings(WebhookSettings), hook, wanted)
        del second
        if wanted.send and all(check.ok for check in found.result.checks if check.name != "path"):
            found.result.answer = await send(context, webhook, found.call, client_address(), budget_of(request.scope))
        return json_response(found.result.model_dump(by_alias=True, exclude={"answer", "event"} - _given(found.result)))

    presets = Blueprint("webhook_presets", __name__, url_prefix="/api/v1/webhook-presets")

    @presets.get("")
    @operation(
        "List the presets of senders",
        operation_id="listWebhookPresets",
        scope=_SCOPE,
        response=PresetList,
        tags=["webhooks"],
    )
    async def list_presets() -> Response:
        found = await context.port(PresetCatalog).load()
        return json_response({"data": [views.preset(known) for known in found]})

    return [made, presets]


def _given(result: TestCallResult) -> set[str]:
    """Optional members that have a value."""
    return {name for name in ("answer", "event") if getattr(result, name) is not None}


async def _by_path(context: PluginContext, path: str) -> list[Webhook]:
    """Of every kind of trigger that receives calls."""
    kinds = context.port(RouteRegistry).kinds()
    return [
        webhook for kind in kinds for webhook in await context.store.webhooks_by_path(paths.display(path), kind=kind)
    ]


def _add_converter(state: BlueprintSetupState) -> None:
    state.app.url_map.converters["webhook"] = IdentConverter


async def _find(context: PluginContext, ident: str) -> Webhook:
    """By id, else by path. Raises `NotFound`, `Conflict` when several methods share the path."""
    webhook = await context.store.webhook(ident)
    if webhook is not None and webhook.kind in context.port(RouteRegistry).kinds():
        return webhook
    return _only(await _by_path(context, ident))


def _only(found: list[Webhook]) -> Webhook:
    """The one webhook of a path. Of several workflows that want the same method, the live one is meant."""
    live = [webhook for webhook in found if webhook.active]
    same_method = len({(webhook.kind, webhook.method) for webhook in found}) == 1
    candidates = live if same_method and live else found
    if not candidates:
        raise NotFound("There is no webhook with this id or path.")
    if len(candidates) > 1:
        details = {webhook.id: f"{webhook.method} of {webhook.workflow_name}" for webhook in candidates}
        raise Conflict("Several webhooks have this path; use one of their ids, see details.", details=details)
    return candidates[0]


async def _detail(context: PluginContext, webhook: Webhook) -> dict[str, object]:
    workflow = await context.port(WorkflowReader).load(webhook.workflow_id)
    node = node_of(context, webhook, workflow)
    if node is None:
        raise NotFound("There is no webhook with this id or path.")
    parameters = read(node)
    named = credentials.reference(node, parameters.authentication)
    stats = await context.store.webhook_stats(webhook.id)
    url, tests = context.service.public_url, paths.tests_enabled(context)
    return views.detail(webhook, url, tests, parameters, named, stats, await _header_of(context, parameters, named))


async def _header_of(
    context: PluginContext, parameters: HookParameters, named: credentials.CredentialReference | None
) -> str:
    """The name of the header that a stored credential asks for; empty for other ones."""
    if named is None or parameters.authentication != "headerAuth":
        return ""
    stored = await credentials.stored_config(context, parameters.authentication, named)
    return stored[0].get("headerName", "") if stored is not None else ""
