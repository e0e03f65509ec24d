"""The facts that the nodes of one execution may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from jackfield.api.engine import ExecutionRequest
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo
from jackfield.api.resume import FORM
from jackfield_engine.loop.plans import WorkflowPlan
from jackfield_engine.loop.runloop import RunLoop
from jackfield_engine.shared.services import Services

TEST_MODES = frozenset({"test", "manual"})


class ExecutionState:
    """One execution: its workflow, its data so far, the memory of its nodes."""

    def __init__(self, execution_id: str, request: ExecutionRequest, plan: WorkflowPlan, services: Services) -> None:
        self.plan = plan
        self.loop: RunLoop | None = None
        """None until the execution begins."""
        self.environment = services.environment
        self.timezone = request.workflow.settings.timezone or services.settings.timezone
        self.variables: Mapping[str, str] = {}
        """`$vars`, once they were read."""
        self.custom: dict[str, Json] = {}
        """`$execution.customData`, as scripts left it."""
        self.execution_id = execution_id
        self._request = request
        self.services = services
        self._knows_variables = False
        self.memories: dict[str, dict[str, Json]] = {}
        """Per node its own memory."""
        self._static: dict[str, dict[str, Json]] = {}

    @cached_property
    def execution(self) -> Mapping[str, Json]:
        """`$execution`"""
        mode = "test" if self._request.mode in TEST_MODES else "production"
        return {
            "id": self.execution_id,
            "mode": mode,
            "customData": self.custom,
            "resumeUrl": self._resume_url(),
            "resumeFormUrl": self.services.links.url(self.execution_id, FORM),
        }

    @cached_property
    def workflow(self) -> Mapping[str, Json]:
        """`$workflow`"""
        workflow = self._request.workflow
        return {"id": workflow.id, "name": workflow.name, "active": workflow.active}

    @property
    def info(self) -> ExecutionInfo:
        request = self._request
        return ExecutionInfo(
            self.execution_id,
            request.mode,
            request.workflow,
            self.timezone,
            self.variables,
            self._resume_url,
            request.depth,
        )

    def now_ms(self) -> int:
        return self.services.clock.now_ms()

    async def read_variables(self) -> None:
        """Fill `variables`, once. Raises `StoreUnavailable`."""
        if not self._knows_variables:
            self.variables = await self.services.variables.read()
            self._knows_variables = True

    def memory(self, name: str) -> dict[str, Json]:
        """The node's own memory."""
        return self.memories.setdefault(name, {})

    def remembered(self, name: str) -> dict[str, Json] | None:
        """The node's memory, when there is something in it."""
        return self.memories.get(name) or None

    def remember(self, name: str, memory: dict[str, Json]) -> None:
        """Put back what an earlier process knew."""
        self.memories[name] = memory

    def static(self, section: str) -> dict[str, Json]:
        """The stand-in for the static data of a workflow that is not saved: it lasts as long as the execution."""
        return self._static.setdefault(section, {})

    def _resume_url(self) -> str:
        return self.services.links.url(self.execution_id)
