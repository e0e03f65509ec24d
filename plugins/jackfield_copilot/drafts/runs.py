"""Runs of a draft: an agent asks for one, and somebody lets it. Then it is an execution in their name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from jackfield.api.asgi import Scope
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.ids import new_id
from jackfield.api.json_values import Json
from jackfield.api.own_calls import OwnCalls
from jackfield.api.records import replace
from jackfield_copilot.drafts.keeping import TOPIC, DraftKeeper, require_revision
from jackfield_copilot.drafts.model import MOST_RUNS, Draft, DraftRun
from jackfield_copilot.drafts.service import Drafts, answered
from jackfield_copilot.settings import CopilotSettings

_LOOK = 1.0
"""Seconds between two looks at a run that another daemon may have decided."""


class DraftRuns:
    """Of one daemon. Decisions stand in the store."""

    def __init__(self, context: PluginContext, keeper: DraftKeeper) -> None:
        self._context = context
        self._keeper = keeper
        self._wait = context.settings(CopilotSettings).run_wait

    def state_of(self, run: DraftRun) -> str:
        """`lapsed` is a question that nobody has answered in time."""
        over = self._context.clock.now_ms() - run.asked_at > self._wait * 1000
        return "lapsed" if run.state == "asked" and over else run.state

    async def ask(
        self, draft_id: str, items: Sequence[Json] | None, *, start: str | None = None, until: str | None = None
    ) -> Draft:
        """Raises `NotFound`, `Conflict` (code `RUN_ASKED`) while another one waits for an answer."""
        now = self._context.clock.now_ms()

        def work(draft: Draft) -> Draft:
            waits = draft.run is not None and self.state_of(draft.run) == "asked"
            if waits and draft.run is not None and draft.run.revision == draft.revision:  # else nobody can allow it
                raise Conflict("A run of this draft waits for an answer already.", code="RUN_ASKED")
            return replace(draft, run=DraftRun(new_id(), "asked", draft.revision + 1, now, start, until, items))

        made = await self._keeper.change(draft_id, work)
        self._tell(made)
        return made

    async def find(self, draft_id: str, run_id: str) -> Draft:
        """The draft with this run. Raises `NotFound`."""
        found = await self._keeper.find(draft_id)
        _run_of(found, run_id)
        return found

    async def decided(self, draft_id: str, run_id: str, wait: float) -> Draft:
        """As `find`, once it is decided, has lapsed, or that many seconds are over."""
        deadline = asyncio.get_running_loop().time() + wait
        with self._context.events.subscribe(TOPIC) as events:
            while True:
                found = await self.find(draft_id, run_id)
                left = deadline - asyncio.get_running_loop().time()
                if self.state_of(_run_of(found, run_id)) != "asked" or left <= 0:
                    return found
                heard = asyncio.ensure_future(anext(aiter(events), None))
                try:
                    await asyncio.wait({heard}, timeout=min(left, _LOOK))
                finally:
                    heard.cancel()

    async def refuse(self, draft_id: str, run_id: str) -> Draft:
        """Raises `NotFound`, `Conflict` (code `RUN_DECIDED`)."""
        made = await self._keeper.change(draft_id, lambda draft: self._decided(draft, run_id, "refused"))
        self._tell(made)
        return made

    async def allow(self, scope: Scope, draft_id: str, run_id: str) -> Draft:
        """Begin the execution in the name of who sends the request of this scope. Raises `NotFound`, `Conflict` (code
        `RUN_DECIDED`, or `DRAFT_CHANGED` when the draft is not what was asked for), and what running raises."""
        begun = await self._keeper.change(draft_id, lambda draft: self._decided(draft, run_id, "running"))
        run = _run_of(begun, run_id)
        try:
            execution = await self._begin(scope, begun, run)
        except JackfieldError as exc:
            problem = exc.message
            ended = replace(run, state="refused", problem=problem)
            self._tell(await self._keeper.change(draft_id, lambda draft: _with_run(draft, ended)))
            raise
        running = replace(run, execution=execution)
        made = await self._keeper.change(
            draft_id,
            lambda draft: replace(_with_run(draft, running), runs=(*draft.runs, execution)[-MOST_RUNS:]),
        )
        self._tell(made)
        return made

    async def _begin(self, scope: Scope, draft: Draft, run: DraftRun) -> str:
        query = {name: value for name, value in (("start", run.start), ("until", run.until)) if value}
        body: dict[str, Json] = {"workflow": cast("Json", draft.document)}
        if run.items:
            body["inputData"] = list(run.items)
        path = "/api/v1/workflows/run-async"
        answer = await self._context.port(OwnCalls).call(scope, "POST", path, query=query, body=body)
        return str(answered(answer)["executionId"])

    def _decided(self, draft: Draft, run_id: str, state: str) -> Draft:
        run = _run_of(draft, run_id)
        if self.state_of(run) != "asked":
            raise Conflict("This run was decided on already, or nobody waits for it any more.", code="RUN_DECIDED")
        if state == "running":
            require_revision(draft, run.revision)
        return replace(draft, run=replace(run, state="running" if state == "running" else "refused"))

    def _tell(self, draft: Draft) -> None:
        run = draft.run
        if run is not None:
            data = {"id": draft.id, "workflowId": draft.workflow_id, "runId": run.id, "state": run.state}
            self._context.events.publish(TOPIC, "draft.run", {**data, "executionId": run.execution})


def _run_of(draft: Draft, run_id: str) -> DraftRun:
    if draft.run is None or draft.run.id != run_id:
        raise NotFound("The draft has no such run, or a later one was asked for.", code="RUN_NOT_FOUND")
    return draft.run


def _with_run(draft: Draft, run: DraftRun) -> Draft:
    return draft if draft.run is None or draft.run.id != run.id else replace(draft, run=run)


def runs_of(context: PluginContext) -> DraftRuns:
    return DraftRuns(context, context.port(Drafts).keeper)
