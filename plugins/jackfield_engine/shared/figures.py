"""The figures of executions and their nodes, for `/metrics`. In memory: Prometheus keeps it, and adds up the
daemons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield.api.storage import ExecutionRow, FinishedExecution
from jackfield.api.time_spreads import MOST_NOTED, BoundedSpreads
from jackfield_engine.settings import ExecutionsSettings

EXECUTION_BOUNDS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 3600.0)
"""Seconds."""
NODE_BOUNDS = (0.002, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0, 60.0, 300.0)
"""Seconds. The engine measures whole milliseconds."""
UNSAVED = "unsaved"
"""The workflow of executions whose workflow is not saved; no id is like it."""


class EngineFigures:
    """Of the executions that this process has ended and the nodes that it has run. Each end counts at one daemon: the
    one whose end the store took. `nodes`: type, status and milliseconds of each node run. `executions`: workflow, mode,
    status and milliseconds of each that has ended. Every run notes them, with the list's own `append`; whoever finds
    `MOST_NOTED` there settles them."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(ExecutionsSettings).metrics
        self.nodes: list[tuple[str, str, int]] = []
        self.executions: list[tuple[str | None, str, str, int]] = []
        self._executions = BoundedSpreads(EXECUTION_BOUNDS, settings.workflows)
        self._nodes = BoundedSpreads(NODE_BOUNDS, settings.node_types)

    def ended_stored(self, row: ExecutionRow, end: FinishedExecution) -> None:
        """One has ended that was never in this process's memory."""
        self.executions.append((row.workflow_id, row.mode, end.status, end.finished_at - end.started_at))
        if len(self.executions) >= MOST_NOTED:
            self.settle()

    def settle(self) -> None:
        """Count what is noted."""
        for workflow_id, mode, status, milliseconds in self.executions:
            self._executions.add(workflow_id or UNSAVED, mode, status, max(milliseconds, 0) / 1000)
        for kind, status, milliseconds in self.nodes:
            self._nodes.add(kind, status, "", milliseconds / 1000)
        self.executions.clear()
        self.nodes.clear()

    def metrics(self) -> Iterator[Metric]:
        """For `/metrics`."""
        self.settle()
        about = "Executions that have ended, by workflow (its id), mode and status."
        for workflow, mode, status, spread in self._executions:
            labels = {"workflow": workflow, "mode": mode, "status": status}
            yield Metric("executions_ended_total", about, "counter", spread.count, labels)
        about = "From the first start of an execution to its end, its waits included."
        for workflow, mode, status, spread in self._executions:
            labels = {"workflow": workflow, "mode": mode, "status": status}
            yield from spread.metrics("execution_seconds", about, labels)
        about = "Time of node runs by node type and status, tries and pauses between them included."
        for kind, status, _, spread in self._nodes:
            yield from spread.metrics("node_seconds", about, {"type": kind, "status": status})


def metrics(context: PluginContext) -> Sequence[Metric]:
    """The plugin's samples; none before the engine is built."""
    figures = context.built_port(EngineFigures)
    return [] if figures is None else list(figures.metrics())
