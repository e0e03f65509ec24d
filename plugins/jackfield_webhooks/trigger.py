"""The trigger kind `webhook`: what of a document becomes a route, and why it may not go live."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.triggers import (
    NodeTrigger,
    Registration,
    Start,
    Trigger,
    WorkflowChange,
    node_path,
    served_nodes,
)
from jackfield.api.workflows import Problem, Workflow
from jackfield_webhooks.retention import hold_cap, prune_forever
from jackfield_webhooks.routing.registry import KIND, HookSource, RouteRegistry


class WebhookTrigger(NodeTrigger):
    """Keeps the routes of every trigger that receives calls equal to the store."""

    kind = KIND
    nodes = (KIND,)

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        nodes = served_nodes(workflow, (KIND,))
        return self._context.port(HookSource).registrations(KIND, nodes) if nodes else []

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        nodes = served_nodes(workflow, (KIND,))
        return await self._context.port(HookSource).problems(KIND, nodes, workflow) if nodes else []

    async def attention(self, workflow: Workflow) -> Sequence[Problem]:
        """Paths that another workflow serves, to which it has the better claim."""
        found: list[Problem] = []
        for route, holder in self._context.port(RouteRegistry).table(KIND).lost(workflow.id or ""):
            node = workflow.nodes.get(route.webhook.node_name)
            message = (
                f"{route.webhook.method} {route.webhook.path} is served by the workflow {holder.webhook.workflow_name} "
                f"({holder.webhook.workflow_id}); callers of the node {route.webhook.node_name} use its other path."
            )
            found.append(Problem(node_path(workflow, node) if node is not None else "nodes", message, "warning"))
        return found

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        methods: dict[tuple[str, str], list[str]] = {}
        for each in self.registrations(workflow):
            if not each.pattern:  # the second address of a path in n8n's form
                continue
            methods.setdefault((each.node_name, each.path), []).append(each.method)
        return [Start(name, f"{_any_of(those)} to /{KIND}{path}") for (name, path), those in methods.items()]

    async def follow(self, change: WorkflowChange) -> None:
        await self._context.port(RouteRegistry).refresh(change.workflow_id)


def _any_of(methods: Sequence[str]) -> str:
    """`A GET, POST or PUT`."""
    *others, last = methods
    named = f"{', '.join(others)} or {last}" if others else last
    return f"{'An' if named.startswith('O') else 'A'} {named}"


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer(KIND, "jackfield_webhooks.node:WebhookNode", (context,))]


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [WebhookTrigger(context)]


async def start(context: PluginContext) -> None:
    """Read the routes and begin the background work."""
    await context.port(RouteRegistry).load()
    hold_cap(context)
    if not context.service.worker:
        context.spawn("webhook history retention", prune_forever(context))
