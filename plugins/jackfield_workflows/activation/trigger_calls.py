"""Calls of the triggers, each on its own: one that fails is reported, and refuses workflows with its nodes alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from jackfield.api.call_triggers import CallTrigger
from jackfield.api.containment import is_ctrl_c, passes
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, UpstreamFailed
from jackfield.api.extensions import Given, PluginReports
from jackfield.api.nodes import NodeCatalog
from jackfield.api.triggers import (
    TRIGGERS,
    NodeTrigger,
    OfferedTrigger,
    Registration,
    Start,
    StartTeller,
    Trigger,
    WorkflowChange,
)
from jackfield.api.workflows import Items, Node, Problem, Workflow

MOST_STARTS = 20
"""The most starts of one workflow in an answer."""
_FIELDS = ("node_id", "node_name", "kind", "method", "path", "pattern", "authentication")


class TriggerCalls:
    """All triggers of the daemon."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._unserved: dict[str, list[str]] = {}
        """Workflow -> why a trigger does not serve it as it is stored."""

    def registrations(self, workflow: Workflow, *, required: bool = True) -> Sequence[Registration]:
        """The registrations of the triggers.

        Raises `InvalidInput` when one fails that the workflow has nodes of, unless nothing is required: a workflow that
        ends to be live can do without.
        """
        found: list[Registration] = []
        for given in self._given():
            try:
                found += _checked(given.value.registrations(workflow))
            except BaseException as exc:
                if is_ctrl_c(exc):
                    raise
                concerned = self._concerns(given, workflow)
                if isinstance(exc, JackfieldError) and (concerned or not given.distribution):
                    raise
                told = self._failed(given, "registrations", exc)
                if concerned and required:
                    raise InvalidInput(told, details={"nodes": told}) from exc
        return found

    async def problems(self, workflow: Workflow) -> Sequence[Problem]:
        """The problems that keep the workflow from being live; a trigger that fails is a problem of those with its
        nodes.
        """
        found: list[Problem] = []
        for given in self._given():
            try:
                more = list(await given.value.activation_problems(workflow))
                if not all(isinstance(problem, Problem) for problem in more):
                    raise TypeError("it gives something else than Problem")
                found += more
            except BaseException as exc:
                if passes(exc):
                    raise
                told = self._failed(given, "activation_problems", exc)
                if self._concerns(given, workflow):
                    found.append(Problem("nodes", told))
        return found

    def idle(self, node: Node) -> str:
        """Why no trigger starts anything by this node, a clause; empty: one does. The node's type is installed."""
        serving = [given for given in self._given() if self._serves(given, node)]
        if not serving:
            return f"no plugin serves nodes of the type {node.type}."
        reasons = [given.value.idle(node) if isinstance(given.value, NodeTrigger) else "" for given in serving]
        return "" if "" in reasons else reasons[0]

    def _serves(self, given: Given[Trigger], node: Node) -> bool:
        """A trigger says so, or it stands beside the node in a plugin that says nothing."""
        trigger = given.value
        if isinstance(trigger, NodeTrigger | OfferedTrigger | CallTrigger):
            return node.kind in trigger.nodes
        if trigger.kind == node.kind:
            return True
        reports = self._context.find_port(PluginReports)
        return bool(given.distribution) and reports is not None and reports.plugin_of_node(node.kind) == given.plugin

    async def attention(self, workflow: Workflow) -> Sequence[Problem]:
        """The problems of a live workflow that triggers tell, and which of them could not follow it."""
        found = [Problem("nodes", message) for message in self._unserved.get(workflow.id or "", ())]
        for given in self._given():
            trigger = given.value
            if not isinstance(trigger, NodeTrigger) or not self._concerns(given, workflow):
                continue
            try:
                found += await trigger.attention(workflow)
            except BaseException as exc:
                if passes(exc):
                    raise
                found.append(Problem("nodes", self._failed(given, "attention", exc)))
        return found

    async def by_hand(self, workflow: Workflow, node: Node, execution_id: str) -> Items | None:
        """The items with which a run by hand begins at this node, as its trigger says; None: none says anything.

        Raises `JackfieldError`.
        """
        for given in self._given():
            trigger = given.value
            if not isinstance(trigger, NodeTrigger) or node.kind not in trigger.nodes:
                continue
            try:
                items = await trigger.by_hand(workflow, node, execution_id)
            except BaseException as exc:
                if isinstance(exc, JackfieldError) or passes(exc):
                    raise
                raise UpstreamFailed(self._failed(given, "by_hand", exc)) from exc
            if items is not None:
                return items
        return None

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        """The starts of the workflow, in words, by those triggers that say them."""
        found: list[Start] = []
        for given in self._given():
            if not isinstance(given.value, StartTeller):
                continue
            try:
                more = list(await given.value.starts(workflow))
                if not all(isinstance(start, Start) and isinstance(start.text, str) for start in more):
                    raise TypeError("it gives something else than Start")
                found += more
            except BaseException as exc:
                if passes(exc):
                    raise
                self._failed(given, "starts", exc)
        return found[:MOST_STARTS]

    async def follow(self, change: WorkflowChange) -> None:
        """Every trigger serves the new state, whatever happens to another. The change is stored, so nothing that a
        trigger does is an error of whoever made it."""
        told = await asyncio.gather(*(self._followed(given, change) for given in self._given()))
        mistakes = [message for message in told if message]
        if mistakes and change.action != "deleted":
            self._unserved[change.workflow_id] = mistakes
        else:
            self._unserved.pop(change.workflow_id, None)

    async def _followed(self, given: Given[Trigger], change: WorkflowChange) -> str:
        """The failures of the trigger, where the workflow has nodes of it."""
        try:
            await given.value.follow(change)
        except BaseException as exc:
            if passes(exc):
                raise
            message = self._failed(given, "follow", exc)
            return message if change.workflow is not None and self._concerns(given, change.workflow) else ""
        return ""

    def _given(self) -> Iterator[Given[Trigger]]:
        return iter(self._context.given(TRIGGERS).values())

    def _concerns(self, given: Given[Trigger], workflow: Workflow) -> bool:
        """Whether the workflow has a node that this trigger serves."""
        if isinstance(given.value, OfferedTrigger) and given.value.concerns(workflow):
            return True
        kinds = {node.kind for node in workflow.nodes.values() if not node.disabled}
        if given.value.kind in kinds:
            return True
        if isinstance(given.value, NodeTrigger) and any(kind in given.value.nodes for kind in kinds):
            return True
        reports, catalog = self._context.find_port(PluginReports), self._context.find_port(NodeCatalog)
        if reports is None or catalog is None:
            return False
        owned = [catalog.find(kind) for kind in sorted(kinds) if reports.plugin_of_node(kind) == given.plugin]
        return any(node is not None and node.description.trigger for node in owned)

    def _failed(self, given: Given[Trigger], method: str, error: BaseException) -> str:
        """Report it; returns what the caller may know, without the words of the error."""
        where = f"failed in {method} of the trigger {given.value.kind}"
        self._context.log.debug("The plugin %s %s.", given.plugin, where, exc_info=error)
        reports = self._context.find_port(PluginReports)
        if reports is not None:
            reports.report(given.plugin, f"{where}: {type(error).__name__}: {error}")
        return (
            f"The plugin {given.plugin} {where} ({type(error).__name__}); repair, update or disable the plugin, or "
            "remove its nodes."
        )


def _checked(given: Sequence[Registration]) -> list[Registration]:
    """Raises TypeError for what cannot be stored."""
    found = list(given)
    for one in found:
        if not isinstance(one, Registration):
            raise TypeError(f"it gives a {type(one).__name__}, not a Registration")
        for name in _FIELDS:
            if not isinstance(getattr(one, name), str):
                raise TypeError(f"{name} of a Registration is no text")
    return found
