"""The spans of one execution and its nodes. Names of attributes are n8n's."""

from __future__ import annotations

from jackfield.api.engine import ExecutionRequest
from jackfield.api.history import NodeRecord
from jackfield.api.storage import FinishedExecution
from jackfield.api.tracing import Attribute, OpenSpan, Span, SpanKind, Tracer, below, set_present_trace
from jackfield_engine.loop.tasks import Task

_NS = 1_000_000
_SERVED = frozenset({"webhook", "test"})


class RunSpans:
    """Of one execution as long as it is in memory. The work of nodes belongs to the trace, sampled or not."""

    __slots__ = ("_error", "_node", "_started", "_task", "_tracer", "own")

    def __init__(self, tracer: Tracer, own: OpenSpan) -> None:
        self.own = own
        self._tracer = tracer
        self._node: OpenSpan | None = None
        self._task: Task | None = None
        self._started = 0
        self._error = ""

    def enter(self) -> None:
        """In the execution's own task: whoever made it may work for another one."""
        set_present_trace(self.own.own)

    def node_begins(self, task: Task) -> None:
        if self.own.own.sampled:
            self._node, self._task, self._started, self._error = below(self.own.own), task, self._tracer.now_ns(), ""
            set_present_trace(self._node.own)

    def node_failed(self, error: BaseException) -> None:
        self._error = type(error).__name__

    def node_ended(self, record: NodeRecord) -> None:
        """Its result is kept."""
        if self._node is not None and self._task is not None:
            given = sum(map(len, record.get("outputs") or ()))
            failed = (self._error or "NodeError") if record["status"] != "success" else ""
            self._end_node(self._node, self._task, {"n8n.node.items.output": given}, failed)

    def _end_node(self, node: OpenSpan, task: Task, more: dict[str, Attribute], error: str) -> None:
        step = task.step.node
        attributes: dict[str, Attribute] = {
            "n8n.node.id": step.id,
            "n8n.node.name": step.name,
            "n8n.node.type": step.kind,
            "n8n.node.items.input": sum(map(len, task.given.inputs)),
            **more,
        }
        if step.version is not None:
            attributes["n8n.node.type_version"] = step.version
        if error:
            attributes["error.type"] = error
        self._node = self._task = None
        self._tracer.end(
            Span(
                node.own,
                "node.execute",
                self._started,
                self._tracer.now_ns(),
                node.parent,
                "internal",
                attributes,
                error,
            )
        )
        set_present_trace(self.own.own)

    def ended(self, execution_id: str, request: ExecutionRequest, end: FinishedExecution) -> None:
        """The store has the execution's end."""
        if not self.own.own.sampled:
            return
        if self._node is not None and self._task is not None:  # it was cancelled, or ran out of time
            reason: dict[str, Attribute] = {"n8n.node.termination_reason": end.status}
            self._end_node(self._node, self._task, reason, end.status)
        self._tracer.end(execution_span(self.own, execution_id, request, end))


def execution_span(own: OpenSpan, execution_id: str, request: ExecutionRequest, end: FinishedExecution) -> Span:
    """From its first start to its end, its waits included."""
    workflow = request.workflow
    attributes: dict[str, Attribute] = {
        "n8n.workflow.name": workflow.name,
        "n8n.workflow.version_id": str(workflow.version),
        "n8n.workflow.node_count": len(workflow.nodes),
        "n8n.execution.id": execution_id,
        "n8n.execution.mode": request.mode,
        "n8n.execution.status": end.status,
        "n8n.execution.is_retry": request.retry_of is not None,
    }
    if workflow.id is not None:
        attributes["n8n.workflow.id"] = workflow.id
    if request.retry_of is not None:
        attributes["n8n.execution.retry_of"] = request.retry_of
    error = "" if end.status == "success" else end.status
    if error:
        attributes["error.type"] = error
    kind: SpanKind = "server" if request.mode in _SERVED else "internal"
    started, ended = end.started_at * _NS, max(end.finished_at, end.started_at) * _NS
    return Span(own.own, "workflow.execute", started, ended, own.parent, kind, attributes, error)


def stored_span(given: OpenSpan) -> dict[str, str]:
    """As it stands in the store, beside what the execution began with."""
    own = given.own
    kept = {"span": own.traceparent, "parent": given.parent}
    return {**kept, "state": own.state} if own.state else kept
