"""Who owns a run and its rows, and a store that does not answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import StoreUnavailable
from jackfield.api.records import replace
from jackfield.api.storage import Entry
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_evaluations.book import EvaluationBook
from jackfield_evaluations.definition import EvaluationBody
from jackfield_evaluations.records import EvaluatedRow, EvaluationRun, Spent
from jackfield_evaluations.running.runs import EvaluationRuns
from jackfield_evaluations.scoring.scoring import verdict_of
from jackfield_evaluations.scoring.subject import ScoredSubject
from jackfield_evaluations.settings import EvaluationsSettings

RUN = EvaluationRun(id="r", evaluation="e", number=0, status="running", definition={}, version=1, created_at=1)
ROW = EvaluatedRow(1, 0, "running", 1)


def context_of(place: Path, **ports: Any) -> FakeContext:
    context = FakeContext(place, tables=[EvaluationsSettings()], ports={"Store": MemoryStore(), **ports})
    context.ports["EvaluationBook"] = EvaluationBook(context)
    return context


async def test_of_two_who_write_a_row_one_notices(tmp_path: Path) -> None:
    book = EvaluationBook(context_of(tmp_path))
    first = await book.put_row("r", replace(ROW, execution_id="mine"))
    assert first is not None
    assert await book.put_row("r", replace(ROW, execution_id="another's")) is None
    over = await book.put_row("r", replace(first, status="done"))
    assert over is not None
    assert await book.put_row("r", replace(first, status="failed")) is None
    kept = await book.row("r", 1)
    assert kept is not None
    assert (kept.status, kept.execution_id, kept.revision) == ("done", "mine", 2)


async def test_a_run_that_is_being_stored_is_not_taken_for_a_lost_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = context_of(tmp_path)
    runs, book = EvaluationRuns(context), EvaluationBook(context)
    put = context.store.put_entry
    looked: list[int] = []

    async def slowly(entry: Entry, before: int | None) -> bool:
        if entry.kind == "evaluation-run":
            looked.append(await runs.take_over())
            raise StoreUnavailable("The store does not answer.")
        return await put(entry, before)

    monkeypatch.setattr(context.store, "put_entry", slowly)
    with pytest.raises(StoreUnavailable):
        await runs.start(RUN)
    assert looked == [0]
    assert await book.open_runs() == ["r"], "it is found again if it was stored all the same"


async def test_a_store_that_does_not_answer_is_no_score(tmp_path: Path) -> None:
    class Silent:
        def parse(self, document: object) -> object:
            return document

        async def evaluate(self, request: object) -> dict[str, Any]:
            raise StoreUnavailable("The store does not answer.")

    context = context_of(tmp_path, WorkflowReader=Silent(), ExpressionPreview=Silent())
    scorer = {"kind": "expression", "name": "s", "expression": "={{ 1 }}"}
    target = {"kind": "workflow", "workflowId": "w"}
    definition = EvaluationBody.model_validate({"tableId": "t", "target": target, "scorers": [scorer]})

    async def noted(execution_id: str) -> None:
        raise AssertionError("nothing is executed")

    with pytest.raises(StoreUnavailable):
        await verdict_of(context, definition, ScoredSubject({}, {}, 1, 1, {}, Spent(), 1), noted)
