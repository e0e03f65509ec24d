"""Which live workflows need attention: what would keep them from going live now, or what their triggers tell of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.diagnosis import Metric
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.records import record
from jackfield.api.storage import WorkflowFilter
from jackfield.api.triggers import Start, WorkflowChange
from jackfield.api.workflows import Problem, Workflow
from jackfield_workflows.activation.checks import ActivationChecks
from jackfield_workflows.activation.trigger_calls import TriggerCalls
from jackfield_workflows.activation.views import attention_view
from jackfield_workflows.settings import WorkflowsSettings

CREDENTIALS = "credentials"
_PAGE = 100
_RETRY_S = 1.0
_PAUSE_S = 0.25
"""Between two looks, so that many changes make few of them."""
MOST = 20
"""Problems of one workflow that are kept."""


@record
class _Known:
    name: str
    problems: Sequence[Problem]


class Attention:
    """Looks at a workflow with each of its changes.

    It looks at all live ones at the start, when a credential changes or a workflow is deleted, and every
    `workflows.attention_interval`.
    """

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._interval = context.settings(WorkflowsSettings).attention_interval
        self._checks = ActivationChecks(context)
        self._triggers = context.port(TriggerCalls)
        self._known: dict[str, _Known] = {}
        self._starts: dict[str, Sequence[Start]] = {}
        """Of live workflows."""
        self._stale: set[str] = set()
        """Ids that are looked at next, each once."""
        self._all = True
        self._wake = asyncio.Event()

    def of(self, workflow_id: str) -> Sequence[Problem]:
        """Empty: it is fine, or not live, or was not looked at yet."""
        found = self._known.get(workflow_id)
        return found.problems if found else ()

    def starts_of(self, workflow_id: str) -> Sequence[Start]:
        """The starts of a live workflow, in words."""
        return self._starts.get(workflow_id, ())

    def count(self) -> int:
        return len(self._known)

    async def follow(self, change: WorkflowChange) -> None:
        """Look at a workflow now, and soon at those that may name it."""
        if change.action == "deleted":
            self._all = True
        elif change.workflow is not None and change.workflow.version == 1:
            self._stale |= self._known.keys()
        try:
            await self._look_at(change.workflow_id)
        except StoreUnavailable:
            self._stale.add(change.workflow_id)
        if self._all or self._stale:
            self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        listening = asyncio.ensure_future(self._listen())
        try:
            while True:
                self._wake.clear()
                try:
                    await self._look()
                except StoreUnavailable:
                    await self._context.clock.sleep(_RETRY_S)
                    continue
                await self._context.clock.sleep(_PAUSE_S)
                try:
                    await asyncio.wait_for(self._wake.wait(), self._interval)
                except TimeoutError:
                    self._all = True
        finally:
            listening.cancel()

    async def _listen(self) -> None:
        with self._context.events.subscribe(CREDENTIALS) as events:
            async for _ in events:
                self._all = True
                self._wake.set()

    async def _look(self) -> None:
        """Raises `StoreUnavailable`; then the same is looked at again."""
        if self._all:
            self._stale |= self._known.keys() | {ident async for ident in self._live()}
            self._all = False
        while self._stale:
            ident = next(iter(self._stale))
            await self._look_at(ident)
            self._stale.discard(ident)

    async def _live(self) -> AsyncIterator[str]:
        offset = 0
        while True:
            page = await self._context.store.workflows(WorkflowFilter(active=True), offset=offset, limit=_PAGE)
            for row in page.rows:
                yield row.id
            offset += len(page.rows)
            if len(page.rows) < _PAGE:
                return

    async def _look_at(self, ident: str) -> None:
        row = await self._context.store.workflow_row(ident)
        workflow, found = await self._read(ident) if row is not None and row.active else (None, ())
        starts = await self._triggers.starts(workflow) if workflow is not None else ()
        if starts:
            self._starts[ident] = starts
        else:
            self._starts.pop(ident, None)
        before = self._known.get(ident)
        if found and row is not None:
            self._known[ident] = _Known(row.name, found)
        else:
            self._known.pop(ident, None)
        if found != (before.problems if before else ()):
            self._tell(ident, row.name if row is not None else before.name if before else "", found)

    async def _read(self, ident: str) -> tuple[Workflow | None, Sequence[Problem]]:
        """None: it has gone, or cannot be read."""
        try:
            workflow = await self._context.port(WorkflowReader).load(ident)
            found = [*await self._checks.problems(workflow), *await self._triggers.attention(workflow)]
        except (StoreUnavailable, NotFound) as exc:
            if isinstance(exc, StoreUnavailable):
                raise
            return None, ()
        except JackfieldError as exc:
            return None, (Problem("", f"The workflow cannot be read: {exc.message}"),)
        return workflow, tuple(found[:MOST])

    def _tell(self, ident: str, name: str, problems: Sequence[Problem]) -> None:
        about = {"workflowId": ident}
        if problems:
            self._context.log.warning("A live workflow needs attention: %s", problems[0].message, extra=about)
        else:
            self._context.log.info("A workflow needs no attention any more.", extra=about)
        data = {"id": ident, "name": name, "attention": attention_view(problems)}
        self._context.events.publish("workflows", "workflow.attention", data)


def metrics(context: PluginContext) -> Sequence[Metric]:
    count = context.port(Attention).count()
    return [Metric("workflows_needing_attention", "Live workflows that need attention.", "gauge", count)]


async def watch(context: PluginContext) -> None:
    await context.port(Attention).run()
