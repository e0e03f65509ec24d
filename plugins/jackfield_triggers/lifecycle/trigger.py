"""The trigger kind `lifecycle`.

It compares the state of a workflow with the state that its node knows, wherever and whenever somebody looks. So the
next start reports a change that a crash has cut off, and of several daemons one reports it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Engine, ExecutionRequest
from jackfield.api.errors import Conflict, JackfieldError, NotFound, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.storage import StaticChange, Webhook
from jackfield.api.triggers import (
    Registration,
    Start,
    WorkflowChange,
    node_path,
    registered_node,
    served_nodes,
)
from jackfield.api.triggers.registered import registered
from jackfield.api.workflows import Node, Problem, Workflow
from jackfield_triggers.kinds import LIFECYCLE, LIFECYCLE_NODES
from jackfield_triggers.lifecycle.nodes import event_item, event_name
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.static_memory import Remembered, remember, remembered
from jackfield_triggers.store_waits import answered

_TRIES = 20
_SECTION = "lifecycle"
"""Of the static data: name of a node -> version."""
_TEXTS = {"activate": "The workflow goes live", "update": "The live workflow is changed", "init": "The daemon starts"}


class LifecycleTrigger:
    """Serves n8nTrigger and workflowTrigger.

    The workflow's static data has the version that each node knows, and nothing while the workflow is not live. A node
    that has joined others got the others' state.
    """

    kind = LIFECYCLE

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._limit = context.settings(TriggerSettings).poll_state

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return [
            Registration(node.id, node.name, LIFECYCLE, LIFECYCLE.upper(), "", "")
            for node in served_nodes(workflow, LIFECYCLE_NODES)
        ]

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        found = []
        for node in served_nodes(workflow, LIFECYCLE_NODES):
            place = f"{node_path(workflow, node)}.parameters.events"
            unknown = [event for event in _events(node) if not event_name(node.kind, event)]
            if unknown:
                found.append(Problem(place, f"There is no event {unknown[0][:100]}; choose one of the list."))
        return found

    async def starts(self, workflow: Workflow) -> Sequence[Start]:
        return [
            Start(node.name, text)
            for node in served_nodes(workflow, LIFECYCLE_NODES)
            if (text := "; ".join(_TEXTS[event] for event in _TEXTS if event in _events(node)))
        ]

    async def follow(self, change: WorkflowChange) -> None:
        if self._context.service.worker or change.workflow is None:
            return  # the first process tells
        try:
            await self._agree(change.workflow_id)
        except StoreUnavailable:
            about = {"workflowId": change.workflow_id}
            self._context.log.error("A workflow's own event waits for the store.", extra=about)
            self._context.spawn(f"events of {change.workflow_id}", self._insist(change.workflow_id))

    async def begun(self) -> None:
        """The daemon has started: what an earlier process has left untold, and the start itself."""
        clock, store = self._context.clock, self._context.store
        rows = await answered(clock, partial(registered, store, LIFECYCLE, None, active=None))
        for workflow_id in dict.fromkeys(row.workflow_id for row in rows):
            await self._insist(workflow_id)
        for row in rows:
            if row.active:
                await answered(clock, partial(self._started, row))

    async def _insist(self, workflow_id: str) -> None:
        await answered(self._context.clock, partial(self._agree, workflow_id))

    async def _agree(self, workflow_id: str) -> None:
        """Tell each node of the workflow what it was not told. Raises `StoreUnavailable`."""
        workflow = await self._loaded(workflow_id)
        if workflow is None:
            return
        for row in await registered(self._context.store, LIFECYCLE, workflow_id, active=None):
            node = _served(workflow, row)
            if node is not None:
                await self._told(workflow, node, row)

    async def _told(self, workflow: Workflow, node: Node, row: Webhook) -> None:
        about = {"workflowId": row.workflow_id, "node": node.name}
        for _ in range(_TRIES):
            before = await remembered(self._context, row.workflow_id, _SECTION)
            known = before.own.get(node.name, max(_versions(before.own), default=None)) if before.own else None
            if not row.active:
                await self._forget(before)
                return
            if before.own.get(node.name) == workflow.version:
                return
            own = self._following(workflow, node, before.own)
            event = "activate" if known is None else "update"
            if known == workflow.version or event not in _events(node):
                if await remember(self._context, before, own, self._limit):
                    return
            elif await self._start(workflow, node, event, row, before.change(own)):
                return
        self._context.log.error("An event is lost: executions change the static data all the time.", extra=about)

    async def _forget(self, before: Remembered) -> None:
        if before.own:
            await remember(self._context, before, {}, self._limit)

    @staticmethod
    def _following(workflow: Workflow, node: Node, own: dict[str, Json]) -> dict[str, Json]:
        """The memory once this node has got the news. Nodes that are gone are forgotten."""
        served = {one.name for one in served_nodes(workflow, LIFECYCLE_NODES)}
        return {name: version for name, version in own.items() if name in served} | {node.name: workflow.version}

    async def _started(self, row: Webhook) -> None:
        """Raises `StoreUnavailable`."""
        workflow = await self._loaded(row.workflow_id)
        node = _served(workflow, row) if workflow is not None else None
        if workflow is not None and node is not None and "init" in _events(node):
            await self._start(workflow, node, "init", row, None)

    async def _start(
        self, workflow: Workflow, node: Node, event: str, row: Webhook, static: StaticChange | None
    ) -> bool:
        """False: something else has changed the static data meanwhile. Raises `StoreUnavailable`."""
        now = self._context.clock.now_ms()
        name = event_name(node.kind, event)
        if not name:
            return True
        items = [event_item(name, now, row.workflow_id)]
        request = ExecutionRequest(workflow=workflow, mode="trigger", start=node.name, items=items, static=static)
        about = {"workflowId": row.workflow_id, "node": node.name}
        try:
            await asyncio.shield(self._context.port(Engine).submit(request).accepted)
        except StoreUnavailable:
            raise
        except Conflict as exc:
            if "staticData" in (exc.details or {}):
                return False
            self._context.log.info("An event is left to the next process.", extra=about)
        except JackfieldError as exc:
            self._context.log.error("An event started nothing: %s", exc.message, extra=about)
        else:
            self._context.store.count_calls(row.id, 1, now).add_done_callback(_seen)
        return True

    async def _loaded(self, workflow_id: str) -> Workflow | None:
        try:
            return await self._context.port(WorkflowReader).load(workflow_id)
        except StoreUnavailable:
            raise
        except NotFound:
            return None
        except JackfieldError as exc:
            about = {"workflowId": workflow_id}
            self._context.log.error("A workflow's own events are not served: %s", exc.message, extra=about)
            return None


def _served(workflow: Workflow, row: Webhook) -> Node | None:
    return registered_node(served_nodes(workflow, LIFECYCLE_NODES), row.node_id, row.node_name)


def _versions(own: Mapping[str, Json]) -> list[int]:
    return [version for version in own.values() if isinstance(version, int)]


def _events(node: Node) -> list[str]:
    listed = node.parameters.get("events")
    return [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []


def _seen(counted: asyncio.Future[None]) -> None:
    """A count that is lost costs nothing but the count."""
    if not counted.cancelled():
        counted.exception()


def of_daemon(context: PluginContext) -> LifecycleTrigger:
    return LifecycleTrigger(context)
