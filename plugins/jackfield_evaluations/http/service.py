"""The acts of callers on evaluations: define them, and start them."""

from __future__ import annotations

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.run_rights import RunRights
from jackfield.api.storage.tables import DataTableFilter
from jackfield.api.workflows import Workflow
from jackfield_evaluations.book import EvaluationBook, missing_evaluation
from jackfield_evaluations.definition import EvaluationBody, JudgeScorer, NewEvaluation, ProfileTarget, WorkflowTarget
from jackfield_evaluations.http.access import EvaluationAccess
from jackfield_evaluations.http.schemas import EvaluationChange, StartedEvaluation
from jackfield_evaluations.records import EvaluationRun, StoredEvaluation
from jackfield_evaluations.running.runs import EvaluationRuns
from jackfield_evaluations.running.targets import profile_document, start_of, target_workflow
from jackfield_evaluations.running.telling import tell_changed
from jackfield_evaluations.scoring.judging import judge_document
from jackfield_evaluations.settings import EvaluationsSettings

_NOT_ALL = "There is no such workflow or profile."


class EvaluationService:
    """Raises `JackfieldError` that names the field."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._book = context.port(EvaluationBook)
        self._access = EvaluationAccess(context)

    async def create(self, body: NewEvaluation, caller: Principal) -> StoredEvaluation:
        most = self._context.settings(EvaluationsSettings).max_evaluations
        if await self._book.count() >= most:
            raise Conflict(f"There are {most} evaluations already; delete one, or raise evaluations.max_evaluations.")
        now = self._context.clock.now_ms()
        definition = await self._checked(EvaluationBody.model_validate(body.model_dump(exclude={"name"})))
        made = StoredEvaluation(body.name, 1, now, now, _stored(definition))
        await self._access.require_change(made.definition, _NOT_ALL)
        await self._check_models(definition, caller)
        await self._book.add(made)
        tell_changed(self._context, made.name)
        return made

    async def change(self, name: str, body: EvaluationChange, caller: Principal) -> StoredEvaluation:
        known = await self._changing(name)
        if body.version is not None and body.version != known.version:
            raise Conflict(
                f"The evaluation {name} has the version {known.version}, and yours was made of {body.version}; read "
                "it again."
            )
        definition = await self._checked(EvaluationBody.model_validate(body.model_dump(exclude={"version"})))
        stored = _stored(definition)
        await self._access.require_change(stored, _NOT_ALL)
        await self._check_models(definition, caller)
        if stored == known.definition:
            return known
        now = self._context.clock.now_ms()
        made = StoredEvaluation(name, known.version + 1, known.created_at, now, stored)
        await self._book.change(made)
        tell_changed(self._context, name)
        return made

    async def delete(self, name: str) -> None:
        await self._changing(name)
        await self._book.delete(name)
        tell_changed(self._context, name)

    async def start(self, name: str, body: StartedEvaluation, caller: Principal) -> EvaluationRun:
        evaluation = await self._changing(name)
        definition = await self._checked(EvaluationBody.model_validate(evaluation.definition))
        is_workflow = isinstance(definition.target, WorkflowTarget)
        if body.workflow_version is not None and not is_workflow:
            details = {"workflowVersion": "leave it out: the evaluation runs a profile"}
            raise InvalidInput("A profile has no versions.", details=details)
        workflow = await target_workflow(self._context, definition, body.workflow_version)
        start_of(self._context, definition, workflow)
        await self._check_rights(definition, workflow, caller)
        run = EvaluationRun(
            id=new_id(),
            evaluation=name,
            number=0,
            status="running",
            definition=evaluation.definition,
            version=evaluation.version,
            created_at=self._context.clock.now_ms(),
            workflow_version=workflow.version if is_workflow else None,
            label=body.label,
            by=caller.username,
        )
        return await self._context.port(EvaluationRuns).start(run)

    async def _changing(self, name: str) -> StoredEvaluation:
        """Raises `NotFound`, `AccessDenied`."""
        found = await self._book.evaluation(name)
        await self._access.require_change(found.definition, missing_evaluation(name))
        return found

    async def _check_rights(self, definition: EvaluationBody, workflow: Workflow, caller: Principal) -> None:
        """The one who starts it must be allowed to run the workflow, the agent and each judge by hand. Raises
        `AccessDenied`."""
        caller.require("workflows:execute")
        caller.require("data-tables:read")
        await self._context.port(RunRights).check(workflow, caller)
        await self._check_models(definition, caller)

    async def _check_models(self, definition: EvaluationBody, caller: Principal) -> None:
        """The author of a question to an agent or a judge must be allowed to ask it, as it is with nodes of workflows.
        Somebody else starts the run. Raises `AccessDenied`."""
        rights, reader = self._context.port(RunRights), self._context.port(WorkflowReader)
        documents = [judge_document(each) for each in definition.scorers if isinstance(each, JudgeScorer)]
        if isinstance(definition.target, ProfileTarget):
            documents.append(profile_document(definition.target))
        for document in documents:
            await rights.check(await reader.parse_unsaved(document), caller)

    async def _checked(self, definition: EvaluationBody) -> EvaluationBody:
        """With the id of the table that it names."""
        known = await self._context.store.data_table(definition.table_id)
        if known is not None:
            return definition
        where = DataTableFilter(name=definition.table_id)
        found = await self._context.store.data_tables(where, order="name", descending=False, offset=0, limit=1)
        if not found.rows:
            details = {"tableId": "give the id or the name of a data table"}
            raise InvalidInput(f"There is no data table {definition.table_id}.", details=details)
        return definition.model_copy(update={"table_id": found.rows[0].id})


def _stored(definition: EvaluationBody) -> dict[str, Json]:
    return definition.model_dump(mode="json", by_alias=True)
