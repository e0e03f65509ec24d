"""Events that tell which nodes run: few, however fast these are, and none for nobody."""

from __future__ import annotations

from typing import Any

from engine_lab import Lab, doc, ended, request, until

from jackfield.api.events import Event
from jackfield.api.nodes.items import NodeInputs
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeEvents
from jackfield_engine.loop.tasks import Task
from jackfield_engine.run.node_events import INTERVAL, LISTED, NodeEvents
from jackfield_engine.shared.timers import Timers


def told(lab: Lab, monkeypatch: Any) -> list[Event]:
    """What is published from now on."""
    found: list[Event] = []

    def publish(self: FakeEvents, topic: str, type: str, data: Any) -> None:
        found.append(Event(topic, type, 0, data))

    monkeypatch.setattr(FakeEvents, "publish", publish)
    return found


async def test_the_nodes_are_told_at_once_before_the_end(lab: Lab, monkeypatch: Any) -> None:
    events = told(lab, monkeypatch)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass"), ("B", "pass")))
    execution = lab.engine().submit(request(workflow))
    await ended(execution)
    assert [event.type for event in events] == ["execution.started", "execution.nodes", "execution.finished"]
    data = events[1].data
    assert (data["id"], data["workflowId"], data["running"], data["skipped"]) == (execution.id, workflow.id, None, 0)
    nodes: Any = data["nodes"]
    assert [(node["node"], node["index"], node["run"], node["status"]) for node in nodes] == [
        ("Start", 0, 0, "success"),
        ("A", 1, 0, "success"),
        ("B", 2, 0, "success"),
    ]
    assert [(node["items"], node["outputs"]) for node in nodes] == [(1, [1])] * 3
    assert "n" not in nodes[1]


async def test_a_failure_is_told_with_its_message(lab: Lab, monkeypatch: Any) -> None:
    events = told(lab, monkeypatch)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "fail")))
    await ended(lab.engine().submit(request(workflow)))
    nodes: Any = next(event for event in events if event.type == "execution.nodes").data["nodes"]
    assert (nodes[-1]["status"], nodes[-1]["items"]) == ("failed", 0)
    assert nodes[-1]["error"]


class Bus(FakeEvents):
    """Somebody listens, or nobody."""


async def test_many_fast_nodes_are_one_event_and_a_slow_one_is_told_while_it_runs(lab: Lab) -> None:
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "pass")))
    clock = FakeClock()
    bus, timers = Bus(clock), Timers(clock)
    news = NodeEvents("e", request(workflow), bus, timers)
    step = lab.engine().services.plans.of(workflow).graph.steps["A"]
    task = Task(step, NodeInputs(step.node, [[]], [[]], 0, None), (None,), 1)
    for index in range(LISTED + 5):
        news.runs(task)
        news.ran(task, {"node": "A", "index": index, "startedAt": 0, "duration": 1, "status": "success"})
    news.runs(task)
    assert bus.published == []
    await clock.advance(INTERVAL)
    await until(lambda: bool(bus.published))
    data: Any = bus.published[0].data
    assert (len(data["nodes"]), data["skipped"], data["running"]) == (LISTED, 5, "A")
    assert data["nodes"][-1]["index"] == LISTED + 4
    news.flush()
    assert len(bus.published) == 1
    timers.close()


async def test_while_nobody_listens_nothing_is_kept(lab: Lab) -> None:
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "pass")))
    clock = FakeClock()
    bus = Bus(clock)
    bus.heard = ()
    news = NodeEvents("e", request(workflow), bus, Timers(clock))
    step = lab.engine().services.plans.of(workflow).graph.steps["A"]
    task = Task(step, NodeInputs(step.node, [[]], [[]], 0, None), (None,), 1)
    news.began(0)
    news.runs(task)
    news.ran(task, {"node": "A", "index": 1, "startedAt": 0, "duration": 1, "status": "success"})
    bus.heard = ("workflows",)
    news.flush()
    assert bus.published == []
