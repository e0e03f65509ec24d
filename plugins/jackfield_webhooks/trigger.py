"""The trigger kind `webhook`: what of a document becomes a route, and why it may not go live."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield.api.triggers import Registration, Trigger, WorkflowChange
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_webhooks import paths
from jackfield_webhooks.registry import Registry
from jackfield_webhooks.rejections import RejectedCalls
from jackfield_webhooks.settings import WebhookSettings

KIND = "webhook"


class WebhookTrigger:
    """Also holds what the ingress and the management routes share; they find it through `PluginContext.triggers`."""

    kind = KIND

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(WebhookSettings)
        self.registry = Registry(context, settings)
        self.rejected = RejectedCalls(context, settings)
        self._context = context
        self._settings = settings

    async def start(self) -> None:
        """Read the routes and begin the background work."""
        from jackfield_webhooks.retention import prune_forever

        await self.registry.load()
        self._context.spawn("webhook call counters", self.rejected.flush_forever())
        self._context.spawn("webhook history retention", prune_forever(self._context, self._settings))

    async def stop(self) -> None:
        """Write what is still counted only in memory."""
        await self.rejected.flush()

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [found for node in webhook_nodes(workflow) for found in _registrations(node)]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        from jackfield_webhooks.hook import check_node

        found: list[Problem] = []
        for node in webhook_nodes(workflow):
            place = _place(workflow, node)
            for name, message in (await check_node(self._context, node)).items():
                found.append(Problem(f"{place}.parameters.{name}", message))
        return [*found, *_twice(workflow)]

    async def follow(self, change: WorkflowChange) -> None:
        await self.registry.refresh(change.workflow_id)


def nodes(_context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer(KIND, "jackfield_webhooks.node:WebhookNode")]


def triggers(context: PluginContext) -> Sequence[Trigger]:
    return [context.port(WebhookTrigger)]


async def start(context: PluginContext) -> None:
    await context.port(WebhookTrigger).start()


async def stop(context: PluginContext) -> None:
    await context.port(WebhookTrigger).stop()


def webhook_nodes(workflow: Workflow) -> list[Node]:
    """Webhook nodes that are enabled."""
    return [node for node in workflow.nodes.values() if node.kind == KIND and not node.disabled]


def _registrations(node: Node) -> list[Registration]:
    from jackfield_webhooks.parameters import read

    parameters = read(node)
    if not parameters.registrable:
        return []
    path = parameters.path
    return [
        Registration(
            node_id=node.id,
            node_name=node.name,
            kind=KIND,
            method=method,
            path=paths.display(path),
            pattern=paths.pattern(path),
            authentication=parameters.authentication,
        )
        for method in parameters.methods
    ]


def _twice(workflow: Workflow) -> list[Problem]:
    """Two nodes of one workflow that want the same route."""
    holders: dict[tuple[str, str], str] = {}
    found: list[Problem] = []
    for node in webhook_nodes(workflow):
        for wanted in _registrations(node):
            holder = holders.setdefault((wanted.method, wanted.pattern), node.name)
            if holder != node.name:
                message = f"The node {holder} serves {wanted.method} {wanted.path} already; change one of the paths."
                found.append(Problem(f"{_place(workflow, node)}.parameters.path", message))
    return found


def _place(workflow: Workflow, node: Node) -> str:
    """The JSON path of a node in its document."""
    listed = workflow.document.get("nodes")
    for index, raw in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(raw, dict) and raw.get("name") == node.name:
            return f"nodes[{index}]"
    return "nodes"
