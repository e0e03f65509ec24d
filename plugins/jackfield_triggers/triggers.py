"""The three kinds of triggers: which nodes they serve, and why one may not go live. Light, as it is asked about every
workflow; what serves them is imported with the first workflow that has such a node."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.call_triggers import SuffixTrigger
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield.api.object_references import load
from jackfield.api.triggers import NodeTrigger, Registration, Start, WorkflowChange, node_path
from jackfield.api.triggers.listening import listening_node
from jackfield.api.triggers.polling import POLL_TIMES, PollTimesReader, polling_node
from jackfield.api.triggers.resolving import resolved
from jackfield.api.triggers.subscribing import PATH, subscribing_node
from jackfield.api.workflows import Items, Node, Problem, Workflow
from jackfield_triggers.addresses import ident_of, reachable
from jackfield_triggers.kinds import LISTEN, POLL, SUBSCRIBE

if TYPE_CHECKING:
    from jackfield_triggers.listening.listeners import Listeners
    from jackfield_triggers.polling.polls import Polls
    from jackfield_triggers.subscribing.subscriptions import Subscriptions

_LOCAL = "jackfield_triggers.running:begin"


class ServedKinds(Collection[str]):
    """The kinds of nodes that have a method, whichever plugin brings them; the catalogue knows."""

    def __init__(self, context: PluginContext, method: str) -> None:
        self._context = context
        self._method = method

    def __contains__(self, kind: object) -> bool:
        found = self._context.port(NodeCatalog).find(kind) if isinstance(kind, str) else None
        return found is not None and found.description.trigger and hasattr(found, self._method)

    def __iter__(self) -> Iterator[str]:
        return (one.kind for one in self._context.port(NodeCatalog).all() if one.kind in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _ServedTrigger(NodeTrigger):
    """The part that all have in common."""

    kind = ""
    method = ""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.nodes = ServedKinds(context, self.method)

    def served(self, workflow: Workflow) -> list[Node]:
        """Enabled nodes, in the document's order."""
        return [node for node in workflow.nodes.values() if not node.disabled and node.kind in self.nodes]

    def _type(self, node: Node) -> NodeType | None:
        return self._context.port(NodeCatalog).find(node.kind)

    def _begin(self) -> None:
        load(_LOCAL)(self._context)  # type: ignore[operator]  # `running.begin`

    async def _resolved(self, workflow: Workflow, node: Node) -> tuple[Node, list[Problem]]:
        known, failures = await resolved(self._context, workflow, node)
        return known, [Problem(f"parameters.{path}", message) for path, message in failures.items()]

    @staticmethod
    def _placed(workflow: Workflow, node: Node, found: Sequence[Problem]) -> list[Problem]:
        place = node_path(workflow, node)
        return [Problem(f"{place}.{one.path}", one.message, one.severity) for one in found]


class PollTrigger(_ServedTrigger):
    """Serves nodes that poll (`PollingNode`)."""

    kind = POLL
    method = "poll"

    @property
    def _polls(self) -> Polls:
        from jackfield_triggers.polling.polls import Polls

        return self._context.port(Polls)

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [Registration(node.id, node.name, POLL, POLL.upper(), "", "") for node in self.served(workflow)]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        for node in self.served(workflow):
            known, problems = await self._resolved(workflow, node)
            polls = polling_node(self._type(node))
            if not problems and polls is not None:
                problems += polls.poll_problems(known)
            found += self._placed(workflow, node, [*problems, *self._time_problems(workflow, known)])
        return found

    def _time_problems(self, workflow: Workflow, node: Node) -> list[Problem]:
        zone = self._context.port(WorkflowReader).timezone(workflow)
        times = self._context.port(PollTimesReader)
        _, findings = times.read(node.parameters.get(POLL_TIMES), zone, self._context.clock.now_ms())
        return [Problem(f"parameters.{POLL_TIMES}.{path}", message) for path, message in findings.items()]

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        zone = self._context.port(WorkflowReader).timezone(workflow)
        made = []
        for node in self.served(workflow):
            times = self._context.port(PollTimesReader)
            read, _ = times.read(node.parameters.get(POLL_TIMES), zone, self._context.clock.now_ms())
            title = _title(self._type(node), node)
            made.append(Start(node.name, f"{read.text}, what is new at {title}" if read else f"What is new at {title}"))
        return made

    async def attention(self, workflow: Workflow) -> Sequence[Problem]:
        """Nodes whose last poll failed."""
        if not (served := self.served(workflow)):
            return []
        failures = self._polls.failures_of(workflow.id or "")
        return [
            Problem(node_path(workflow, node), f"{node.name} cannot ask: {failures[node.name]}", "warning")
            for node in served
            if node.name in failures
        ]

    async def by_hand(self, workflow: Workflow, node: Node, execution_id: str) -> Items | None:
        """The test event, as in n8n."""
        fetch = load("jackfield_triggers.management.fetching:polled")
        return await fetch(self._context, workflow, node, execution_id)  # type: ignore[operator, no-any-return]  # `fetching.polled`

    async def follow(self, change: WorkflowChange) -> None:
        if self._context.service.worker:  # the first process asks
            return
        if change.workflow is not None and self.served(change.workflow):
            self._begin()
            await self._polls.follow(change.workflow_id)
        elif self._context.is_built("jackfield_triggers.polling.polls:Polls"):
            await self._polls.follow(change.workflow_id)


class SubscribeTrigger(SuffixTrigger, _ServedTrigger):
    """Serves nodes that subscribe (`SubscribingNode`), and what services send them."""

    kind = SUBSCRIBE
    method = "subscribe"
    suffix = PATH

    @property
    def _subscriptions(self) -> Subscriptions:
        from jackfield_triggers.subscribing.subscriptions import (
            Subscriptions,
        )

        return self._context.port(Subscriptions)

    async def serve_suffix(self, ident: str, scope: Scope, receive: Receive, send: Send, *, test: bool) -> None:
        app = load("jackfield_triggers.subscribing.events:serve")
        await app(self._context, ident, scope, receive, send, test)  # type: ignore[operator]  # `events.serve`

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(node.id, node.name, SUBSCRIBE, "POST", f"/{ident}/{PATH}", f"{ident}/{PATH}")
            for node in self.served(workflow)
            if (ident := ident_of(node))
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        for node in self.served(workflow):
            known, problems = await self._resolved(workflow, node)
            subscribes = subscribing_node(self._type(node))
            if not problems and subscribes is not None:
                problems += subscribes.subscription_problems(known)
            if not ident_of(node):
                problems.append(Problem("webhookId", "The node needs a webhookId of letters, digits, - _ . and ~."))
            problems += self._address_problems(node)
            found += self._placed(workflow, node, problems)
        return found

    def _address_problems(self, node: Node) -> Iterator[Problem]:
        if not reachable(self._context):
            title = _title(self._type(node), node)
            yield Problem(
                "parameters",
                f"{title} sends its events to this daemon, whose address {self._context.service.public_url} it cannot "
                "reach. Set server.public_url to the address at which this daemon is reached from outside.",
            )

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        return [Start(node.name, f"An event of {_title(self._type(node), node)}") for node in self.served(workflow)]

    async def attention(self, workflow: Workflow) -> Sequence[Problem]:
        """Nodes whose service refuses the subscription, and nodes whose events can be made up."""
        if not (served := self.served(workflow)):
            return []
        failures = self._subscriptions.failures_of(workflow.id or "")
        unproven = self._subscriptions.unproven_of(workflow.id or "")
        told = [
            (node, f"{node.name} gets no events: {failures[node.name]}") for node in served if node.name in failures
        ]
        told += [(node, f"{node.name}: {unproven[node.name]}") for node in served if node.name in unproven]
        return [Problem(node_path(workflow, node), text, "warning") for node, text in told]

    async def follow(self, change: WorkflowChange) -> None:
        if self._context.service.worker:  # the first process subscribes; what is served is read with each event
            return
        concerned = change.workflow is not None and bool(self.served(change.workflow))
        if concerned:
            self._begin()
        if concerned or self._context.is_built("jackfield_triggers.subscribing.subscriptions:Subscriptions"):
            await self._subscriptions.follow(change.workflow_id)


class ListenTrigger(_ServedTrigger):
    """Serves nodes that hold a connection (`ListeningNode`)."""

    kind = LISTEN
    method = "listen"

    @property
    def _listeners(self) -> Listeners:
        from jackfield_triggers.listening.listeners import Listeners

        return self._context.port(Listeners)

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [Registration(node.id, node.name, LISTEN, LISTEN.upper(), "", "") for node in self.served(workflow)]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found: list[Problem] = []
        for node in self.served(workflow):
            known, problems = await self._resolved(workflow, node)
            listens = listening_node(self._type(node))
            if not problems and listens is not None:
                problems += listens.listen_problems(known)
            found += self._placed(workflow, node, problems)
        return found

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        return [Start(node.name, f"An event of {_title(self._type(node), node)}") for node in self.served(workflow)]

    async def attention(self, workflow: Workflow) -> Sequence[Problem]:
        """Nodes whose connection is lost."""
        if not (served := self.served(workflow)):
            return []
        failures = self._listeners.failures_of(workflow.id or "")
        return [
            Problem(node_path(workflow, node), f"{node.name} is not connected: {failures[node.name]}", "warning")
            for node in served
            if node.name in failures
        ]

    async def follow(self, change: WorkflowChange) -> None:
        if self._context.service.worker:  # the first process holds the connections
            return
        concerned = change.workflow is not None and bool(self.served(change.workflow))
        if concerned:
            self._begin()
        if concerned or self._context.is_built("jackfield_triggers.listening.listeners:Listeners"):
            await self._listeners.follow(change.workflow_id)


def _title(found: NodeType | None, node: Node) -> str:
    title = found.description.display_name if found is not None else node.kind
    return title.removesuffix(" Trigger")
