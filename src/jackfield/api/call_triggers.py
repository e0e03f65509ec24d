"""Triggers of plugins that are called over HTTP, as webhooks are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .asgi import AsgiApp, AsgiMount, LaterApp, Receive, Scope, Send
from .context import PluginContext
from .jsontext import Json
from .triggers import Registration, WorkflowChange, served_nodes
from .workflows import Node, Problem, Workflow

if TYPE_CHECKING:
    from .storage import NewCall, Webhook
    from .webhooks import WebhookCall


class CallIngress(Protocol):
    """The port through which plugins' own triggers receive calls as webhooks do: with their authentication, limits,
    de-duplication, test calls, history and place in `/api/v1/webhooks`."""

    def application(self, kind: str, *, test: bool) -> AsgiApp:
        """Serves the addresses of the `CallTrigger` of this kind."""

    def registrations(self, trigger: CallTrigger, workflow: Workflow) -> Sequence[Registration]: ...

    async def problems(self, trigger: CallTrigger, workflow: Workflow) -> Sequence[Problem]: ...


class EventHistory(Protocol):
    """The port through which triggers that serve calls by themselves have them in the history of webhooks, within its
    limits: at `/api/v1/webhooks/{id of the registration}/history`. `hidden`: texts that nobody may see there. Headers,
    parameters and fields that are named like secrets are masked in any case. `ms`: how long the call took.
    """

    def taken(
        self, webhook: Webhook, call: WebhookCall, status: int, body: bytes, ms: int, hidden: Collection[str]
    ) -> NewCall:
        """A call that starts an execution, for `ExecutionRequest.call`. status, body: of its answer."""

    def refused(
        self, webhook: Webhook, call: WebhookCall, status: int, body: bytes, ms: int, hidden: Collection[str]
    ) -> None:
        """A call that was refused; returns at once."""


class CallTrigger:
    """A `Trigger` whose nodes are called over HTTP, at `/{kind}/{path}`; test calls at `/{kind}-test/{path}`.

    Derive from it, set `kind` and `nodes`, and say in `reception` how a node takes calls. Give it with
    `jackfield_triggers`, and `mounts()` with `jackfield_asgi`. An item has what a Webhook node hands on.
    """

    kind: str = ""
    """Letters, digits and `-`; the first segment of its addresses."""
    nodes: Collection[str] = ()
    """Kinds of the nodes that it serves."""

    def __init__(self, context: PluginContext) -> None:
        self.context = context

    def reception(self, node: Node) -> Mapping[str, Json]:
        """How this node takes calls, in the words of the Webhook node's parameters: `path`, which is needed, and
        `httpMethod`, `authentication`, `authConfig`, `responseMode`, `options` ..."""
        raise NotImplementedError

    def mounts(self) -> Sequence[AsgiMount]:
        """Where its calls come in."""
        live = LaterApp(lambda: self._ingress.application(self.kind, test=False))
        testing = LaterApp(lambda: self._ingress.application(self.kind, test=True))
        return [
            AsgiMount(self.kind, live, "public", "ingress"),
            AsgiMount(f"{self.kind}-test", testing, "public", "ingress"),
        ]

    @property
    def _ingress(self) -> CallIngress:
        return self.context.port(CallIngress)

    def serves(self, workflow: Workflow) -> bool:
        """Whether it has one of the nodes, enabled."""
        return bool(served_nodes(workflow, self.nodes))

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return self._ingress.registrations(self, workflow) if self.serves(workflow) else []

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        return await self._ingress.problems(self, workflow) if self.serves(workflow) else []

    async def follow(self, change: WorkflowChange) -> None:
        """The ingress follows by itself."""


class SuffixTrigger:
    """Base of a `Trigger` whose nodes answer below `/webhook` too, as n8n has it: at `/webhook/{ident}/{suffix}`.

    A Webhook node with exactly this path comes first.
    """

    suffix: str = ""
    """The last of the two segments, such as `chat`."""

    async def serve_suffix(self, ident: str, scope: Scope, receive: Receive, send: Send, *, test: bool) -> None:
        """Serve one HTTP request whose body nobody has read. test: it came to `/webhook-test`."""
        raise NotImplementedError
