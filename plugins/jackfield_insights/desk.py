"""The answers of insights, for the API and for n8n's form of it. The store limits all of it to the caller's
projects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield.api.storage import SHARED, Within
from jackfield.api.storage.insights import EndedFilter
from jackfield_insights.periods import UNITS, Period
from jackfield_insights.saving import SavedTime
from jackfield_insights.settings import InsightsSettings
from jackfield_insights.slow_nodes import NodeSampling, SlowNodes
from jackfield_insights.sums import PRODUCTION, EndSums, all_of, by_key

_MOST_STEPS = 2_000


@record
class InsightsQuery:
    """everything: also what somebody runs by hand, and sub-workflows."""

    period: Period
    workflow_id: str | None = None
    project_id: str | None = None
    everything: bool = False


@record
class WorkflowInsight:
    """id: empty: of workflows that are not saved. name: None: the workflow is deleted. project_id: None: it is not
    saved."""

    id: str
    name: str | None
    project_id: str | None
    sums: EndSums


@record
class ProjectInsight:
    """name: None: a personal one, or the one that was always there."""

    id: str
    name: str | None
    sums: EndSums


@record
class Insights:
    """before: of the period before; steps: beginning of each, Unix ms, and what ended in it; unlisted: workflows that
    are in the sums alone."""

    query: InsightsQuery
    sums: EndSums
    before: EndSums
    steps: Sequence[tuple[int, EndSums]]
    workflows: Sequence[WorkflowInsight]
    unlisted: int
    projects: Sequence[ProjectInsight]


class InsightsDesk:
    """One per daemon, as a part."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(InsightsSettings)
        self._saved = SavedTime(context)
        self._sampling = NodeSampling(context)

    async def totals(self, query: InsightsQuery) -> tuple[EndSums, EndSums]:
        """Of the period, and of the one before. Raises `StoreUnavailable`."""
        now, before = await self._both(query)
        return all_of(now.values()), all_of(before.values())

    async def whole(self, query: InsightsQuery) -> Insights:
        """Raises `InvalidInput`, `StoreUnavailable`."""
        steps = query.period.steps
        if len(steps) > _MOST_STEPS:
            raise InvalidInput("The period is too long.", details={"since": "give a later moment"})
        workflows, before = await self._both(query)
        counts = await self._context.store.ended_by_time(_filter(query, query.period), UNITS[query.period.unit])
        by_time = by_key(counts)
        ordered = sorted(workflows, key=lambda each: (-workflows[each].total, each))
        listed = ordered[: self._settings.workflows]
        placed = await self._placed([each for each in ordered if each])
        return Insights(
            query=query,
            sums=all_of(workflows.values()),
            before=all_of(before.values()),
            steps=[(step, by_time.get(step, EndSums())) for step in steps],
            workflows=[
                WorkflowInsight(each, await self._name(each), placed.get(each), workflows[each]) for each in listed
            ],
            unlisted=len(ordered) - len(listed),
            projects=await self._projects(placed, workflows),
        )

    async def slow_nodes(self, query: InsightsQuery, limit: int) -> SlowNodes:
        """Raises `StoreUnavailable`."""
        return await self._sampling.slowest(query.workflow_id, query.period, limit)

    async def names(self, workflow_ids: Iterable[str]) -> Mapping[str, str | None]:
        """None: it is deleted. Raises `StoreUnavailable`."""
        return {each: await self._name(each) for each in dict.fromkeys(workflow_ids)}

    async def _both(self, query: InsightsQuery) -> tuple[dict[str, EndSums], dict[str, EndSums]]:
        store = self._context.store
        now = await store.ended_by_workflow(_filter(query, query.period))
        before = await store.ended_by_workflow(_filter(query, query.period.before))
        minutes = await self._saved.minutes({str(count.key) for count in (*now, *before)})
        first, second = by_key(now, minutes), by_key(before, minutes)
        return {str(key): sums for key, sums in first.items()}, {str(key): sums for key, sums in second.items()}

    async def _name(self, workflow_id: str) -> str | None:
        row = await self._context.store.workflow_row(workflow_id) if workflow_id else None
        return None if row is None else row.name

    async def _placed(self, workflow_ids: Sequence[str]) -> dict[str, str]:
        """Workflow -> project."""
        found = await self._context.store.placements("workflow", workflow_ids) if workflow_ids else {}
        return {each: found.get(each, SHARED) for each in workflow_ids}

    async def _projects(self, placed: Mapping[str, str], sums: Mapping[str, EndSums]) -> list[ProjectInsight]:
        names = {each.id: each.name for each in await self._context.store.projects()}
        found: dict[str, EndSums] = {}
        for workflow_id, project_id in placed.items():
            found[project_id] = found.get(project_id, EndSums()).together(sums[workflow_id])
        ordered = sorted(found, key=lambda each: (-found[each].total, each))
        return [ProjectInsight(each, names.get(each), found[each]) for each in ordered]


def _filter(query: InsightsQuery, period: Period) -> EndedFilter:
    return EndedFilter(
        period.since,
        period.until,
        modes=None if query.everything else PRODUCTION,
        workflow_ids=None if query.workflow_id is None else [query.workflow_id],
        within=None if query.project_id is None else Within([query.project_id]),
    )
