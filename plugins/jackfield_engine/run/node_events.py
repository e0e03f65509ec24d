"""Tells who listens which nodes of an execution have run, and which one runs: in few events, however fast they run."""

from __future__ import annotations

from jackfield.api.caller_secrets import Hidden, hide_text
from jackfield.api.engine import ExecutionRequest
from jackfield.api.events import EventBus
from jackfield.api.history import NodeRecord
from jackfield_engine.loop.tasks import Task
from jackfield_engine.shared.timers import Timer, Timers

TOPIC = "workflows"
INTERVAL = 0.2
"""Seconds between two events of one execution."""
LISTED = 200
"""Node runs in one event; the earlier of more are counted only."""


class NodeEvents:
    """Of one execution. While nobody listens it keeps nothing."""

    __slots__ = ("_bus", "_execution_id", "_hidden", "_ran", "_request", "_running", "_skipped", "_timer", "_timers")

    def __init__(
        self, execution_id: str, request: ExecutionRequest, bus: EventBus, timers: Timers, hidden: Hidden = ()
    ) -> None:
        """hidden: what no message shows."""
        self._execution_id = execution_id
        self._request = request
        self._bus = bus
        self._timers = timers
        self._hidden = hidden
        self._running: str | None = None
        self._ran: list[dict[str, object]] = []
        self._skipped = 0
        self._timer: Timer | None = None

    def began(self, now: int) -> None:
        """The start node has given the input. now: Unix ms."""
        if self._bus.wanted(TOPIC):
            given = [0] * self._request.start_output + [len(self._request.items)]
            self._ran.append(view(self._request.start, 0, 0, given, now))
            self._schedule()

    def runs(self, task: Task) -> None:
        """A node begins."""
        if self._bus.wanted(TOPIC):
            self._running = task.step.node.name
            self._schedule()

    def ran(self, task: Task, record: NodeRecord) -> None:
        """A node has run; its result is kept."""
        self._running = None
        if not self._bus.wanted(TOPIC):
            return
        if len(self._ran) >= LISTED:
            del self._ran[0]
            self._skipped += 1
        told = shown(task, record)
        if self._hidden and "error" in told:
            told["error"] = hide_text(str(told["error"]).encode("utf-8", "replace"), self._hidden).decode()
        self._ran.append(told)
        self._schedule()

    def flush(self) -> None:
        """Tell now what is left to tell."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._ran:
            self._tell()

    def _schedule(self) -> None:
        if self._timer is None:
            self._timer = self._timers.after(INTERVAL, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._ran or self._running is not None:
            self._tell()

    def _tell(self) -> None:
        workflow = self._request.workflow
        data = {
            "id": self._execution_id,
            "workflowId": workflow.id,
            "workflowName": workflow.name,
            "mode": self._request.mode,
            "nodes": self._ran,
            "running": self._running,
            "skipped": self._skipped,
        }
        self._ran, self._skipped = [], 0
        self._bus.publish(TOPIC, "execution.nodes", data)


def shown(task: Task, record: NodeRecord) -> dict[str, object]:
    """A node run without its data."""
    counts = [len(items) for items in record.get("outputs") or ()]
    found = view(record["node"], record["index"], task.given.run, counts, record["startedAt"])
    found |= {"duration": record["duration"], "status": record["status"]}
    if "error" in record:
        found["error"] = record["error"]["message"]
    return found


def view(node: str, index: int, run: int, counts: list[int], started: int) -> dict[str, object]:
    """A node run that took no time and did not fail. counts: items per output."""
    return {
        "node": node,
        "index": index,
        "run": run,
        "status": "success",
        "items": sum(counts),
        "outputs": counts,
        "startedAt": started,
        "duration": 0,
    }
