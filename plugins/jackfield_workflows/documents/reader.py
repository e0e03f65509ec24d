"""The `WorkflowReader` port: parsed workflows, cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import field
from typing import cast

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.engine import ExecutionDefaults
from jackfield.api.errors import NotFound
from jackfield.api.expressions import Expressions
from jackfield.api.ids import is_uuid
from jackfield.api.large_json import off_loop
from jackfield.api.nodes import NodeCatalog
from jackfield.api.object_references import load
from jackfield.api.projects import ProjectAccess, present_reach
from jackfield.api.records import replace, state
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflows import Document, Problem, Workflow
from jackfield_workflows.documents.sealing import SealedSecrets, without_sealed
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.settings import WorkflowsSettings

MAX_VERSION = 2**31 - 1
_VERSIONS_EACH = 8


@state
class _Cached:
    """Parsed versions of one workflow; the current one also under None. size: bytes of their JSON."""

    versions: dict[int | None, Workflow] = field(default_factory=dict)
    size: int = 0


class CachedReader:
    """Keeps the workflows used last, at most that many and that many bytes of them."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        settings = context.settings(WorkflowsSettings)
        self._max_workflows = settings.cached_workflows
        self._max_bytes = settings.cached_bytes
        self._cache: OrderedDict[str, _Cached] = OrderedDict()
        self._size = 0
        self._changes = 0
        self._secrets = SecretParameters(context)
        self._sealed = SealedSecrets(context)

    def parse(self, document: Document, *, id: str | None = None, version: int = 0, active: bool = False) -> Workflow:
        """Raises `InvalidInput` with a json path per mistake. A secret that was taken out counts as empty."""
        if isinstance(document, dict):
            document = self._secrets.kept(without_sealed(document), None)
        return _parse()(document, id=id, version=version, active=active)

    async def parse_unsaved(self, document: Document) -> Workflow:
        """Raises `InvalidInput`."""
        workflow = await off_loop(document, lambda: self.parse(document))
        return replace(workflow, document=await self._sealed.sealed(workflow.document))

    async def parse_stored(
        self, document: Document, *, id: str | None = None, version: int = 0, active: bool = False
    ) -> Workflow:
        """Raises `InvalidInput`, `ConfigurationError`."""
        opened = await self._sealed.opened(document)
        workflow = await off_loop(document, lambda: _parse()(opened, id=id, version=version, active=active))
        return replace(workflow, document=document)

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        """The saved workflow, its current version by default. Raises `NotFound`."""
        if present_reach() is not None and not await self._context.port(ProjectAccess).sees("workflow", workflow_id):
            raise _unknown()
        cached = self._cache.get(workflow_id)
        if cached is not None and (found := cached.versions.get(version)) is not None:
            self._cache.move_to_end(workflow_id)
            return found
        return await self._read(workflow_id, version)

    def problems(self, workflow: Workflow) -> list[Problem]:
        """The problems that `POST /workflows/validate` lists, without those of the triggers about going live."""
        problems = cast("Callable[..., list[Problem]]", load("jackfield_workflows.documents.validation:problems"))
        return problems(workflow, self._context.port(NodeCatalog), self._context.port(Expressions))

    def timezone(self, workflow: Workflow) -> str:
        """The workflow's zone, else the one of the setting executions.timezone."""
        return workflow.settings.timezone or self._context.port(ExecutionDefaults).timezone

    def forget(self, workflow_id: str) -> None:
        """The cached state of this workflow is stale: it was changed or deleted."""
        self._changes += 1
        self._drop(workflow_id)

    async def _read(self, workflow_id: str, version: int | None) -> Workflow:
        changes = self._changes
        stored = await self._stored(workflow_id, version)
        workflow = await self.parse_stored(stored.document, id=stored.id, version=stored.version, active=stored.active)
        # A change that was committed while the store answered may have made this stale: used once, never kept.
        if changes == self._changes:
            self._keep(workflow, version)
        return workflow

    async def _stored(self, workflow_id: str, version: int | None) -> StoredWorkflow:
        found = None
        if is_uuid(workflow_id) and (version is None or 0 < version <= MAX_VERSION):
            store = self._context.store
            found = await (
                store.workflow(workflow_id) if version is None else store.workflow_version(workflow_id, version)
            )
        if found is None:
            raise _unknown()
        return found

    def _keep(self, workflow: Workflow, asked: int | None) -> None:
        workflow_id = str(workflow.id)
        size = len(jsontext.dumps(workflow.document))
        if size > self._max_bytes:
            return
        cached = self._cache.get(workflow_id)
        if cached is None or len(cached.versions) >= _VERSIONS_EACH:
            self._drop(workflow_id)
            cached = self._cache[workflow_id] = _Cached()
        if workflow.version not in cached.versions:
            cached.size += size
            self._size += size
        cached.versions[workflow.version] = workflow
        if asked is None:
            cached.versions[None] = workflow
        self._shrink()

    def _shrink(self) -> None:
        while self._cache and (len(self._cache) > self._max_workflows or self._size > self._max_bytes):
            self._drop(next(iter(self._cache)))

    def _drop(self, workflow_id: str) -> None:
        cached = self._cache.pop(workflow_id, None)
        if cached is not None:
            self._size -= cached.size


def _unknown() -> NotFound:
    return NotFound("There is no workflow with this id, or no such version of it.")


def _parse() -> Callable[..., Workflow]:
    """Loaded with the first workflow."""
    return cast("Callable[..., Workflow]", load("jackfield_workflows.documents.parsing:parse"))
