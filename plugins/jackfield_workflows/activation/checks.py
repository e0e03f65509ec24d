"""All that keeps a workflow from being live: `activate` refuses it, and `validate` tells it."""

from __future__ import annotations

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import ConfigurationError, InvalidInput
from jackfield.api.nodes import NodeCatalog
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflows import Problem, Workflow
from jackfield_workflows.activation.node_rules import NodeRules
from jackfield_workflows.activation.obstacles import obstacle_problems
from jackfield_workflows.activation.references import References, reachable
from jackfield_workflows.activation.starters import start_problems, starters
from jackfield_workflows.activation.trigger_calls import TriggerCalls

MOST = 100
"""The most problems in one answer."""


class ActivationChecks:
    """Severities: `error` and `activation` keep it from being live; with `warning` it runs, in part."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._triggers = context.port(TriggerCalls)
        self._rules = NodeRules(context)

    async def problems(self, workflow: Workflow) -> list[Problem]:
        """Raises `StoreUnavailable`."""
        found = list(await self._triggers.problems(workflow))
        begin = starters(workflow, self._context.port(NodeCatalog), self._triggers)
        found += start_problems(workflow, begin)
        reached = reachable(workflow, [node.name for node in begin.runnable])
        found += obstacle_problems(workflow, self._context.port(NodeCatalog), reached)
        found += await self._rules.problems(workflow)
        told = {problem.path for problem in found}
        async for problem in References(self._context, workflow).problems(reached):
            if problem.path not in told:
                found.append(problem)
        return found[:MOST]

    async def of_stored(self, stored: StoredWorkflow) -> list[Problem]:
        """The same of a stored one; what cannot be read is a problem, too. Raises `StoreUnavailable`."""
        try:
            reader = self._context.port(WorkflowReader)
            parsed = await reader.parse_stored(
                stored.document, id=stored.id, version=stored.version, active=stored.active
            )
        except InvalidInput as exc:
            return [Problem(path, str(message)) for path, message in (exc.details or {}).items()]
        except ConfigurationError as exc:
            return [Problem("", exc.message)]
        return await self.problems(parsed)

    async def check(self, workflow: Workflow, before: Workflow | None = None) -> bool:
        """Whether the workflow is without problems. before: the live version that it replaces, whose problems it may
        keep. Its trigger may have gone away, and nobody should have to take it off to save it. Raises `InvalidInput`
        when it cannot be live.
        """
        found = await self._serious(workflow)
        known = {problem.message for problem in await self._serious(before)} if found and before is not None else set()
        details: dict[str, str] = {}
        for problem in found:
            if problem.message not in known:
                details.setdefault(problem.path, problem.message)
        if details:
            raise InvalidInput(
                "The workflow cannot be live like this; change what the details name, or save it with active: false.",
                details=details,
            )
        return not found

    async def _serious(self, workflow: Workflow) -> list[Problem]:
        return [problem for problem in await self.problems(workflow) if problem.severity != "warning"]
