"""The values that expressions of a node would give, on the data of an execution that is over. An editor shows them
while you type.

Nothing runs but the expressions, which cannot change anything, and nothing is stored.
"""

from __future__ import annotations

import asyncio
import re
from functools import cached_property

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.engine import ExecutionRequest, PreviewRequest
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.expressions import Expressions
from jackfield.api.history import stored_json
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeAnswer, NodeError
from jackfield.api.workflows import Document, Items
from jackfield_engine.loop.plans import WorkflowPlan, plan_of
from jackfield_engine.loop.runloop import RunLoop
from jackfield_engine.loop.tasks import NodeResult, Task
from jackfield_engine.node.execution_data import ExecutionState
from jackfield_engine.node.node_actions import NodeActions
from jackfield_engine.node.node_run import EngineNodeRun
from jackfield_engine.preview.stored_results import reaching, stored_results, task_of, with_pinned
from jackfield_engine.shared.services import Services, build_services

SECONDS = 5.0
"""How long all expressions of one preview may take together."""
_NAMED = re.compile(r"(?:The parameter value|A parameter)(?: of item \d+)? is not valid: ")
"""The words before the reason, where the parameter's name is needed."""
LONGEST = 64 * 1024
"""Bytes of JSON up to which a value is shown whole."""


class StoredDataPreview:
    """`ExpressionPreview` by the embedded engine."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @cached_property
    def _services(self) -> Services:
        return build_services(self._context)

    async def evaluate(self, request: PreviewRequest) -> dict[str, Json]:
        plan = plan_of(request.workflow, self._context)
        if request.node not in plan.graph.steps:
            details = {"node": "give the name of a node of the workflow that runs"}
            raise InvalidInput(f"There is no node {request.node[:100]} to look at.", details=details)
        results = with_pinned(await self._results(request), request.workflow)
        run = self._run(plan, request, results)
        values: dict[str, Json] = {}
        loop = asyncio.get_running_loop()
        end = loop.time() + SECONDS
        asked = _Asked(run, request.item, end, self._context.port(Expressions))
        for key, template in request.templates.items():
            values[key] = await asked.value(template)
        return {"items": len(run.items), "values": values}

    def _run(self, plan: WorkflowPlan, request: PreviewRequest, results: dict[str, list[NodeResult]]) -> EngineNodeRun:
        execution = ExecutionRequest(workflow=request.workflow, mode="manual", start=request.node, items=[])
        data = ExecutionState("preview", execution, plan, self._services)
        data.loop = RunLoop(plan.graph, request.node, [])
        data.loop.results = results
        task = task_of(plan, request.node, results, reaching(request.workflow, results, request.node))
        try:
            return EngineNodeRun(data, NO_ACTIONS, plan.node(request.node), task)
        except NodeError as exc:
            raise InvalidInput(exc.message, details={"node": exc.message}) from None

    async def _results(self, request: PreviewRequest) -> dict[str, list[NodeResult]]:
        stored, ran = request.stored, request.ran
        if stored is None or ran is None:
            return {}
        plan = plan_of(ran, self._context)
        most = self._services.settings.max_node_runs
        try:
            return await asyncio.to_thread(stored_results, plan.graph, stored, most)
        except (ValueError, KeyError, TypeError):
            raise JackfieldError("The stored form of this execution is damaged.") from None


class _Asked:
    """Expressions of one item. end: by the loop's clock, for all of them together."""

    def __init__(self, run: EngineNodeRun, item: int, end: float, expressions: Expressions) -> None:
        self._run = run
        self._item = item
        self._end = end
        self._expressions = expressions

    async def value(self, template: Json) -> dict[str, Json]:
        """Its value, or its error with the place of it."""
        made = await self._evaluated(template)
        if "error" in made and isinstance(template, str) and template.startswith("="):
            made |= await self._place(template[1:])
        return made

    async def _evaluated(self, template: Json) -> dict[str, Json]:
        try:
            async with asyncio.timeout(max(self._end - asyncio.get_running_loop().time(), 0)):
                made = await self._run.evaluate({"value": template}, item=self._item)
        except NodeError as exc:
            return {"error": _NAMED.sub("", exc.message)}
        except TimeoutError:
            return {"error": f"The expressions took longer than {SECONDS:g} seconds."}
        return _shown(made["value"])

    async def _place(self, template: str) -> dict[str, Json]:
        """Of the first `{{ }}` that fails by itself; of the only one anyway."""
        places = self._expressions.code_places(template)
        for start, end in places:
            if len(places) == 1 or "error" in await self._evaluated("=" + template[start:end]):
                return {"start": _units(template[:start]), "end": _units(template[:end])}
        return {}


def _units(text: str) -> int:
    """As JavaScript counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _shown(value: object) -> dict[str, Json]:
    try:
        text = stored_json(value)
    except (TypeError, ValueError, RecursionError):
        return {"error": "The value is nested too deeply or is not JSON data."}
    if len(text) > LONGEST:
        return {"value": text[:LONGEST].decode(errors="ignore"), "truncated": True, "size": len(text)}
    return {"value": jsontext.loads(text)}


async def _breathe() -> None:
    await asyncio.sleep(0)


async def _no_effect(task: Task) -> None:
    raise NodeError("Expressions change nothing.")


async def _no_workflow(task: Task, workflow: str | Document, items: Items) -> Items:
    raise NodeError("Expressions run no workflow.")


async def _no_start(task: Task, workflow: str | Document, items: Items) -> None:
    raise NodeError("Expressions run no workflow.")


def _no_answer(answer: NodeAnswer) -> None:
    raise NodeError("Expressions answer no call.")


NO_ACTIONS = NodeActions(_breathe, _no_effect, _no_workflow, _no_start, _no_answer)
"""Of a node that does not run."""
