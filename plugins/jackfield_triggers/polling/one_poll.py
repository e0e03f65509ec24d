"""One poll: ask, and store what is new together with where the node has got to."""

from __future__ import annotations

import asyncio

from jackfield.api.binary import BinaryStore
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCatalog, NodeError
from jackfield.api.triggers.polling import Polled, PollingNode, PollRun, polling_node
from jackfield.api.workflows import Node, Workflow
from jackfield_triggers.access import NodeCredentials
from jackfield_triggers.live_nodes import without_expressions
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.starting import started
from jackfield_triggers.static_memory import of_node, remember, remembered

NOTHING = Polled()


class OnePoll:
    """Polls of one daemon; keeps nothing between them."""

    def __init__(self, context: PluginContext, settings: TriggerSettings) -> None:
        self._context = context
        self._settings = settings

    async def poll(self, registration: str, workflow_id: str, node_name: str) -> Polled:
        """Ask a live node and start its workflow. Raises `NotFound` when there is no such node any more, `NodeError`,
        `JackfieldError`, TimeoutError, and what the node raises."""
        workflow = await self._context.port(WorkflowReader).load(workflow_id)
        node = workflow.nodes.get(node_name)
        polls = self._polling(node)
        if node is None or node.disabled or polls is None:
            raise NotFound
        before = await remembered(self._context, workflow_id, of_node(node_name))
        own: dict[str, Json] = loads(dumps(before.own))  # type: ignore[assignment]  # an object
        execution_id = new_id()
        run = await self._run(workflow, node, own, execution_id, test=False)
        async with asyncio.timeout(self._settings.poll_timeout):
            polled = await polls.poll(run)
        if polled.items:
            limit = self._settings.poll_state
            kept = await started(self._context, workflow, node, execution_id, polled.items, before, own, limit)
            if kept is not None:
                now = self._context.clock.now_ms()
                self._context.store.count_calls(registration, 1, now).add_done_callback(_seen)
            return polled if kept is not None else NOTHING
        if own != before.own:
            await remember(self._context, before, own, self._settings.poll_state)
        return polled

    async def test(self, workflow: Workflow, node: Node, execution_id: str) -> Polled:
        """The newest items, whatever was seen. Nothing is stored but files, of this execution. Raises `NodeError`,
        TimeoutError."""
        polls = self._polling(node)
        if polls is None:
            raise NodeError(f"The node {node.name} does not poll.")
        run = await self._run(workflow, node, {}, execution_id, test=True)
        async with asyncio.timeout(self._settings.poll_timeout):
            return await polls.poll(run)

    def _polling(self, node: Node | None) -> PollingNode | None:
        return polling_node(self._context.port(NodeCatalog).find(node.kind)) if node is not None else None

    async def _run(
        self, workflow: Workflow, node: Node, own: dict[str, Json], execution_id: str, *, test: bool
    ) -> PollRun:
        known = await without_expressions(self._context, workflow, node)
        return PollRun(
            node=known,
            workflow=workflow,
            timezone=self._context.port(WorkflowReader).timezone(workflow),
            credentials=NodeCredentials(self._context, known, workflow.id),
            state=own,
            binary=self._context.port(BinaryStore).files(execution_id),
            log=self._context.log,
            now=self._context.clock.now_ms(),
            limit=self._settings.poll_items,
            pages=self._settings.poll_pages,
            test=test,
        )


def _seen(counted: asyncio.Future[None]) -> None:
    """A count that is lost costs nothing but the count."""
    if not counted.cancelled():
        counted.exception()
