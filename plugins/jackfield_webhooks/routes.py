"""Management: `/api/v1/webhooks`."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response, request
from quart.blueprints import BlueprintSetupState
from werkzeug.routing import PathConverter

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import Conflict, InvalidInput, MethodNotAllowed, NotFound
from jackfield.api.http import clamp, json_response, operation, read_model
from jackfield.api.storage import Webhook, WebhookStats
from jackfield_webhooks import paths
from jackfield_webhooks.schemas import (
    History,
    HistoryQuery,
    TrialRequest,
    TrialResult,
    WebhookDetail,
    WebhookList,
    WebhooksQuery,
)
from jackfield_webhooks.settings import WebhookSettings

STATUSES = ("success", "failed", "timeout", "rejected", "pending")
_SCOPE = "webhooks:read"
_MAX_OFFSET = 1 << 40


class IdentConverter(PathConverter):
    """An id or a path, whose leading slash arrives decoded."""

    regex = ".+?"
    part_isolating = False


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("webhooks", __name__, url_prefix="/api/v1/webhooks")
    made.record(_add_converter)

    @made.get("")
    @operation("List webhooks", scope=_SCOPE, query=WebhooksQuery, response=WebhookList, tags=["webhooks"])
    async def list_webhooks() -> Response:
        from jackfield_webhooks import views

        page = await context.store.webhooks(
            offset=clamp(request.args.get("offset"), 0, 0, _MAX_OFFSET),
            limit=clamp(request.args.get("limit"), 100, 1, 250),
            active=_flag("active"),
            workflow_id=request.args.get("workflowId") or None,
        )
        rows = [views.item(webhook, context.service.public_url) for webhook in page.rows]
        if _flag("stats"):
            found = await context.store.webhooks_stats([webhook.id for webhook in page.rows])
            for row, webhook in zip(rows, page.rows, strict=True):
                row["stats"] = views.counts(found.get(webhook.id, WebhookStats()))
        return json_response({"data": rows, "total": page.total})

    @made.get("/<webhook:ident>")
    @operation("Show a webhook, by its id or its path", scope=_SCOPE, response=WebhookDetail, tags=["webhooks"])
    async def show_webhook(ident: str) -> Response:
        if ident.endswith("/test") and not await context.store.webhooks_by_path(paths.display(ident)):
            raise MethodNotAllowed(["POST"])
        return json_response(await _detail(context, await _find(context, ident)))

    @made.get("/<webhook:ident>/history")
    @operation(
        "List a webhook's calls, the newest first",
        scope=_SCOPE,
        query=HistoryQuery,
        response=History,
        tags=["webhooks"],
    )
    async def list_calls(ident: str) -> Response:
        from jackfield_webhooks import views

        # A webhook's own path may end like this.
        named = await context.store.webhooks_by_path(paths.display(f"{ident}/history"))
        if named:
            return json_response(await _detail(context, _only(named)))
        webhook = await _find(context, ident)
        page = await context.store.calls(
            webhook.id,
            status=_status(request.args.get("status")),
            offset=clamp(request.args.get("offset"), 0, 0, _MAX_OFFSET),
            limit=clamp(request.args.get("limit"), 20, 1, 1000),
        )
        return json_response({"data": [views.call(stored) for stored in page.rows], "total": page.total})

    @made.post("/<webhook:ident>/test")
    @operation(
        "Check whether a call would be taken, without running anything",
        scope=_SCOPE,
        request=TrialRequest,
        response=TrialResult,
        tags=["webhooks"],
    )
    async def test_webhook(ident: str) -> Response:
        from jackfield_webhooks import trial
        from jackfield_webhooks.hook import make_hook

        webhook = await _find(context, ident)
        wanted = await read_model(TrialRequest)
        hook = await make_hook(context, webhook, await context.port(WorkflowReader).load(webhook.workflow_id))
        if hook is None:
            raise NotFound("This webhook has just been changed; try again.")
        result = await trial.check(context, context.settings(WebhookSettings), hook, wanted)
        return json_response(result.model_dump(by_alias=True))

    return [made]


def _add_converter(state: BlueprintSetupState) -> None:
    state.app.url_map.converters["webhook"] = IdentConverter


async def _find(context: PluginContext, ident: str) -> Webhook:
    """By id, else by path. Raises `NotFound`, `Conflict` when several methods share the path."""
    webhook = await context.store.webhook(ident)
    if webhook is not None:
        return webhook
    return _only(await context.store.webhooks_by_path(paths.display(ident)))


def _only(found: list[Webhook]) -> Webhook:
    """The one webhook of a path. Of several workflows that want the same method, the live one is meant."""
    live = [webhook for webhook in found if webhook.active]
    same_method = len({webhook.method for webhook in found}) == 1
    candidates = live if same_method and live else found
    if not candidates:
        raise NotFound("There is no webhook with this id or path.")
    if len(candidates) > 1:
        details = {webhook.id: f"{webhook.method} of {webhook.workflow_name}" for webhook in candidates}
        raise Conflict("Several webhooks have this path; use one of their ids, see details.", details=details)
    return candidates[0]


async def _detail(context: PluginContext, webhook: Webhook) -> dict[str, object]:
    from jackfield_webhooks import credentials, views
    from jackfield_webhooks.hook import find_node
    from jackfield_webhooks.parameters import read

    workflow = await context.port(WorkflowReader).load(webhook.workflow_id)
    node = find_node(workflow, webhook)
    if node is None:
        raise NotFound("There is no webhook with this id or path.")
    parameters = read(node)
    named = credentials.reference(node, parameters.authentication)
    stats = await context.store.webhook_stats(webhook.id)
    return views.detail(webhook, context.service.public_url, parameters, named, stats)


def _flag(name: str) -> bool | None:
    text = request.args.get(name, "").lower()
    if not text:
        return None
    if text in ("true", "false"):
        return text == "true"
    raise InvalidInput(f"{name} must be true or false.", details={name: "must be true or false"})


def _status(text: str | None) -> str | None:
    if not text:
        return None
    if text not in STATUSES:
        message = f"must be one of {', '.join(STATUSES)}"
        raise InvalidInput(f"status {message}.", details={"status": message})
    return text
