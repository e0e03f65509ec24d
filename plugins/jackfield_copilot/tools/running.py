"""The tool that asks for a run of the draft."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, cast
from urllib.parse import quote

from pydantic import Field, model_validator

from jackfield.api.json_values import Json
from jackfield_copilot.drafts.model import Draft
from jackfield_copilot.drafts.runs import DraftRuns, runs_of
from jackfield_copilot.tools.tool import AnyDraftTool, BoundCall, DraftArguments, DraftTool, Ident

_OVER = frozenset({"success", "failed", "cancelled"})
_MOST_WAIT = 45.0
"""Seconds of one call: some agents give a tool a minute."""
_LOOK = 0.2


class RunDraft(DraftArguments):
    input: list[dict[str, Any]] | None = Field(  # JSON
        None,
        max_length=1000,
        description='Items for the node that starts, such as {"name": "x"} or {"json": {"name": "x"}}.',
    )
    start: Ident | None = Field(None, description="Name of the node to start at. Default: the trigger.")
    until: Ident | None = Field(None, description="Name of the node to end at.")
    run_id: Ident | None = Field(None, description="Go on waiting for this run instead of asking for another one.")
    items: Annotated[int, Field(ge=0, le=50)] = Field(3, description="The most items of each output.")

    @model_validator(mode="after")
    def _is_one(self) -> RunDraft:
        if self.run_id is not None and (self.input is not None or self.start or self.until):
            raise ValueError("give run_id alone, or leave it out")
        return self


async def _run(bound: BoundCall, given: RunDraft) -> Json:
    runs = runs_of(bound.context)
    deadline = asyncio.get_running_loop().time() + _MOST_WAIT
    run_id = given.run_id or await _asked(bound, runs, given)
    await bound.call.progress("Somebody has to allow the run.")
    draft = await runs.decided(bound.draft_id, run_id, _MOST_WAIT)
    state = "" if draft.run is None else runs.state_of(draft.run)
    if state == "asked":
        return {"run_id": run_id, "state": "asked", "note": "Nobody has decided yet; call run_draft with this run_id."}
    if state in ("refused", "lapsed"):
        problem = draft.run.problem if draft.run else ""
        note = "The run was not allowed. Go on without it." if not problem else "The run could not begin."
        return {"run_id": run_id, "state": state, "problem": problem or None, "note": note}
    return await _ended(bound, runs, draft, run_id, given, deadline)


async def _asked(bound: BoundCall, runs: DraftRuns, given: RunDraft) -> str:
    items: list[Json] | None = None
    if given.input is not None:
        items = [item if isinstance(item.get("json"), dict) else {"json": item} for item in given.input]
    draft = await runs.ask(bound.draft_id, items, start=given.start, until=given.until)
    return draft.run.id if draft.run is not None else ""


async def _ended(
    bound: BoundCall, runs: DraftRuns, draft: Draft, run_id: str, given: RunDraft, deadline: float
) -> Json:
    """The execution once it is over, or as it is when the time is up."""
    while True:
        execution = draft.run.execution if draft.run is not None else None
        late = asyncio.get_running_loop().time() >= deadline
        if execution is not None:
            path = f"/executions/{quote(execution, safe='')}"
            found = await bound.ask("GET", path, query={"items": str(given.items)})
            if found.get("status") in _OVER:
                return {"run_id": run_id, "state": "over", "execution": cast("Json", found)}
        if late:
            return {"run_id": run_id, "state": "running", "note": "It goes on; call run_draft with this run_id."}
        await asyncio.sleep(_LOOK)
        if execution is None:
            draft = await runs.find(bound.draft_id, run_id)


RUNNING_TOOLS: tuple[AnyDraftTool, ...] = (
    DraftTool(
        "run_draft",
        "Run the draft",
        "Ask a person to let the draft run once with this input, and wait for the answer and for the end. You get "
        "the status, the failure, and the first items of each node. Its nodes do what they do: a node that sends, "
        "sends. Secrets that are masked are not there in such a run. When nobody has decided yet, call it again with "
        "run_id.",
        RunDraft,
        _run,
        outward=True,
    ),
)
