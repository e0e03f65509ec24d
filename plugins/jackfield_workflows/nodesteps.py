"""One node run of an execution: the node type is run, again after failures, and what came of it is put on record."""

from __future__ import annotations

import asyncio
from typing import Protocol

from jackfield.api.binary import BinaryError
from jackfield.api.nodes import NodeError, NodeResult, Suspend
from jackfield.api.workflows import Outputs
from jackfield_workflows.noderun import EngineNodeRun, Host
from jackfield_workflows.persistence import Persistence, Refused
from jackfield_workflows.plans import NodePlan
from jackfield_workflows.records import Record
from jackfield_workflows.stepping import watched
from jackfield_workflows.tasks import Task

SLOW_S = 0.05
"""A node that takes longer makes the execution visible in the store as running."""


class Runner(Host, Protocol):
    """An execution that runs nodes."""

    @property
    def id(self) -> str: ...

    @property
    def disk(self) -> Persistence: ...

    def slow(self) -> None:
        """A node takes its time."""

    def since(self) -> int:
        """When the execution started; Unix ms."""


async def result_of(runner: Runner, task: Task) -> NodeResult:
    """Run the node, as often as it says. Raises `NodeError`; `Refused` when the store does not take the execution."""
    plan = runner.facts.plan.node(task.step.node.name)
    node = plan.node
    if plan.effect:
        await runner.before_effect(task)
    for left in range(node.tries - 1, -1, -1):
        try:
            return await _once(runner, plan, task)
        except NodeError:
            if not left:
                raise
        except BinaryError as exc:
            if not left:
                raise NodeError(exc.message) from None
        except Refused:
            raise
        except Exception as exc:
            runner.log.exception("node %r of execution %s failed", node.name, runner.id)
            if not left:
                kind = type(exc).__name__
                raise NodeError(f"The node failed unexpectedly ({kind}); see the daemon's log.") from None
        await runner.clock.sleep(node.wait_between_tries_ms / 1000)
    raise AssertionError("a node is tried at least once")


async def _once(runner: Runner, plan: NodePlan, task: Task) -> NodeResult:
    run = EngineNodeRun(runner, plan, task)
    running = plan.type.execute(run)
    try:
        if runner.disk.status == "running":
            return await running
        return await watched(running, SLOW_S, runner.slow)
    except asyncio.CancelledError:
        if run.borrowed is not None:
            run.borrowed.abandon()
            run.borrowed = None
        raise
    finally:
        if run.borrowed is not None:
            await run.borrowed.give_back()


def record_of(
    runner: Runner, task: Task, started: int, outputs: Outputs | None, error: NodeError | None = None
) -> Record:
    """What is stored of a node run. outputs: None when it stopped the workflow."""
    name = task.step.node.name
    record: Record = {
        "node": name,
        "index": task.index,
        "startedAt": started,
        "duration": max(runner.clock.now_ms() - started, 0),
        "status": "success" if error is None else "failed",
    }
    if outputs is not None:
        record["outputs"] = outputs
    if error is not None:
        record["error"] = {"message": error.message}
        if error.item is not None:
            record["error"]["itemIndex"] = error.item
    memory = runner.facts.remembered(name)
    if memory is not None:
        record["context"] = memory
    return record


def checked(suspend: Suspend) -> Suspend:
    """Raises `NodeError` for a wait that nothing could end."""
    if suspend.until is None and suspend.call is None:
        raise NodeError("The node waits for nothing, neither a time nor a call; this is a mistake of its plugin.")
    return suspend
