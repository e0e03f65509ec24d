"""Error workflows hear of a trigger that keeps failing, once until it works again, over restarts too."""

from __future__ import annotations

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import ErrorWorkflows
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.nodes import NodeError
from jackfield_triggers.settings import TriggerSettings
from jackfield_triggers.static_memory import remember, remembered


class Outages:
    """The workflow's static data says, under `outage:<node>`, whether an outage was reported."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(TriggerSettings)
        self._context = context
        self._after = settings.error_after
        self._limit = settings.poll_state

    async def failed(self, workflow_id: str, node_name: str, message: str, failures: int) -> bool:
        """Whether the outage is reported, or nobody is there to hear of it. failures: in a row; message: without
        secrets. Reports before it notes that it did: after a crash in between it reports twice rather than never.
        """
        errors = self._context.find_port(ErrorWorkflows)
        if failures < self._after or errors is None:
            return False
        try:
            before = await remembered(self._context, workflow_id, _section(node_name))
            if before.own:
                return True
            workflow = await self._context.port(WorkflowReader).load(workflow_id)
            if await errors.trigger_failed(workflow, node_name, message):
                since = iso(self._context.clock.now_ms())
                await remember(self._context, before, {"since": since}, self._limit)
        except (JackfieldError, NodeError) as exc:
            about = {"workflowId": workflow_id, "node": node_name}
            self._context.log.error("The error workflow of a trigger did not start: %s", exc.message, extra=about)
            return not isinstance(exc, StoreUnavailable)
        return True

    async def over(self, workflow_id: str, node_name: str) -> bool:
        """It works. False: the store does not answer, so that it must be said again."""
        try:
            before = await remembered(self._context, workflow_id, _section(node_name))
            if before.own:
                await remember(self._context, before, {}, self._limit)
        except (StoreUnavailable, NodeError):
            return False
        return True


def _section(node_name: str) -> str:
    return f"outage:{node_name}"
