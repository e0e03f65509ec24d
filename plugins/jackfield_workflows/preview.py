"""What expressions of a node would give, on the data of an execution that is over: an editor shows it while one types.

Nothing runs but the expressions, which cannot change anything, and nothing is stored.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import cached_property

from jackfield.api import jsontext
from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.engine import ExecutionRequest
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound, RateLimited
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeAnswer, NodeError
from jackfield.api.records import record
from jackfield.api.workflows import Document, Items, Workflow
from jackfield_workflows.facts import Facts
from jackfield_workflows.identities import known_id
from jackfield_workflows.noderun import EngineNodeRun
from jackfield_workflows.past import past_results, reaching, task_of, with_pinned
from jackfield_workflows.plans import Plan, plan_of
from jackfield_workflows.records import to_json
from jackfield_workflows.retries import executed_workflow
from jackfield_workflows.runloop import RunLoop
from jackfield_workflows.services import Services, build_services
from jackfield_workflows.settings import WorkflowsSettings
from jackfield_workflows.tasks import NodeResult, Task

SECONDS = 5.0
"""How long all expressions of one preview may take together."""
WAITING = 32
"""Previews that may wait for their turn; one more is refused."""
LONGEST = 64 * 1024
"""Bytes of JSON up to which a value is shown whole."""


@record
class Asked:
    """node: whose expressions they are; execution: id of the one whose data they see, None for pinned data alone; item:
    the input item that they are evaluated for; templates: by any key, each as it stands in a parameter."""

    workflow: Workflow
    node: str
    execution: str | None
    item: int
    templates: Mapping[str, Json]


class Preview:
    """Evaluates templates outside of executions. Each has the data of one in memory: so few at a time."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._most = context.settings(WorkflowsSettings).previews
        self._turns = asyncio.Semaphore(self._most)
        self._asked = 0

    @cached_property
    def _services(self) -> Services:
        return build_services(self._context)

    async def evaluate(self, asked: Asked) -> dict[str, Json]:
        """`{items, values: {key: {value} | {error}}}`; items: how many the node's first input has. Raises `NotFound`
        for an unknown execution, `InvalidInput` for a node that is not in the workflow or does not run, `RateLimited`
        when too many wait."""
        if self._asked >= self._most + WAITING:
            raise RateLimited(1, "Too many previews are asked for; see workflows.previews.")
        self._asked += 1
        try:
            async with self._turns:
                return await self._evaluate(asked)
        finally:
            self._asked -= 1

    async def _evaluate(self, asked: Asked) -> dict[str, Json]:
        plan = plan_of(asked.workflow, self._context)
        if asked.node not in plan.graph.steps:
            details = {"node": "give the name of a node of the workflow that runs"}
            raise InvalidInput(f"There is no node {asked.node[:100]} to look at.", details=details)
        results = with_pinned(await self._results(asked.execution), asked.workflow)
        run = self._run(plan, asked, results)
        values: dict[str, Json] = {}
        loop = asyncio.get_running_loop()
        end = loop.time() + SECONDS
        for key, template in asked.templates.items():
            values[key] = await _value(run, template, asked.item, end - loop.time())
        return {"items": len(run.items), "values": values}

    def _run(self, plan: Plan, asked: Asked, results: dict[str, list[NodeResult]]) -> EngineNodeRun:
        request = ExecutionRequest(workflow=asked.workflow, mode="manual", start=asked.node, items=[])
        facts = Facts("preview", request, plan, self._services)
        facts.loop = RunLoop(plan.graph, asked.node, [])
        facts.loop.results = results
        task = task_of(plan, asked.node, results, reaching(asked.workflow, results, asked.node))
        try:
            return EngineNodeRun(_PreviewHost(self._services, facts), plan.node(asked.node), task)
        except NodeError as exc:
            raise InvalidInput(exc.message, details={"node": exc.message}) from None

    async def _results(self, execution: str | None) -> dict[str, list[NodeResult]]:
        if execution is None:
            return {}
        stored = await self._context.store.execution(known_id(execution, "execution"))
        if stored is None:
            raise NotFound("There is no execution with this id.")
        ran = await executed_workflow(self._context, stored, same_version=True)
        plan = plan_of(ran, self._context)
        most = self._services.settings.max_node_runs
        try:
            return await asyncio.to_thread(past_results, plan.graph, stored, most)
        except (ValueError, KeyError, TypeError):
            raise JackfieldError("What is stored of this execution is damaged.") from None


async def _value(run: EngineNodeRun, template: Json, item: int, seconds: float) -> dict[str, Json]:
    try:
        async with asyncio.timeout(max(seconds, 0)):
            made = await run.evaluate({"value": template}, item=item)
    except NodeError as exc:
        return {"error": exc.message.replace("The parameter value ", "The expression ", 1)}
    except TimeoutError:
        return {"error": f"The expressions took longer than {SECONDS:g} seconds."}
    return _shown(made["value"])


def _shown(value: object) -> dict[str, Json]:
    try:
        text = to_json(value)
    except (TypeError, ValueError, RecursionError):
        return {"error": "The value is nested too deeply or is not JSON data."}
    if len(text) > LONGEST:
        return {"value": text[:LONGEST].decode(errors="ignore"), "truncated": True, "size": len(text)}
    return {"value": jsontext.loads(text)}


class _PreviewHost:
    """`NodeHost` of a node that does not run."""

    def __init__(self, services: Services, facts: Facts) -> None:
        self.services = services
        self.facts = facts

    @property
    def clock(self) -> Clock:
        return self.services.clock

    @property
    def log(self) -> logging.Logger:
        return self.services.context.log

    async def breathe(self) -> None:
        await asyncio.sleep(0)

    async def before_effect(self, task: Task) -> None:
        raise NodeError("Expressions change nothing.")

    async def run_workflow(self, task: Task, workflow: str | Document, items: Items) -> Items:
        raise NodeError("Expressions run no workflow.")

    async def start_workflow(self, task: Task, workflow: str | Document, items: Items) -> None:
        raise NodeError("Expressions run no workflow.")

    def answer(self, answer: NodeAnswer) -> None:
        raise NodeError("Expressions answer no call.")
