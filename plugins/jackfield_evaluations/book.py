"""Evaluations, runs and rows in the store: entries of six kinds.

`evaluation-open` has one entry per run that goes on, so that another daemon finds it; `evaluation-cancel` one per run
that somebody wants to end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.history import loaded, stored_json
from jackfield.api.records import as_dict, replace
from jackfield.api.storage import Entry
from jackfield_evaluations.records import EvaluatedRow, EvaluationRun, RowScore, Spent, StoredEvaluation, Totals

_EVALUATION, _RUN, _ROW = "evaluation", "evaluation-run", "evaluation-row"
_OPEN, _CANCEL, _NUMBER = "evaluation-open", "evaluation-cancel", "evaluation-number"
PAGE = 200
_TRIES = 20


class EvaluationBook:
    """All verbs raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    # -- evaluations

    async def evaluation(self, name: str) -> StoredEvaluation:
        """Raises `NotFound`."""
        found = await self._context.store.entry(_EVALUATION, name)
        if found is None:
            raise NotFound(missing_evaluation(name))
        return _evaluation(found)

    async def evaluations(self) -> list[StoredEvaluation]:
        """By name."""
        found = [_evaluation(each) async for each in self._all(_EVALUATION, "")]
        return sorted(found, key=lambda each: (each.name.casefold(), each.name))

    async def count(self) -> int:
        return await self._context.store.entry_count(_EVALUATION, "")

    async def add(self, evaluation: StoredEvaluation) -> None:
        """Raises `Conflict` when there is one of this name."""
        if not await self._context.store.put_entry(_evaluation_entry(evaluation), None):
            raise Conflict(f"There is an evaluation {evaluation.name} already; choose another name.")

    async def change(self, evaluation: StoredEvaluation) -> None:
        """version: one more than it was. Raises `Conflict` when somebody else has changed it."""
        if not await self._context.store.put_entry(_evaluation_entry(evaluation), evaluation.version - 1):
            raise Conflict(f"The evaluation {evaluation.name} was changed meanwhile; read it again.")

    async def delete(self, name: str) -> None:
        """With its runs. Raises `NotFound`, `Conflict` when one goes on."""
        await self.evaluation(name)
        async for run in self.runs_of(name):
            if run.status == "running":
                raise Conflict(f"The run {run.number} of {name} goes on; cancel it first.")
        await self._delete_runs(name)
        for kind in (_EVALUATION, _NUMBER):
            await self._context.store.delete_entry(kind, name)
        await self._delete_runs(name)  # those that have begun meanwhile

    async def _delete_runs(self, name: str) -> None:
        async for run in self.runs_of(name):
            await self.delete_run(run.id)

    # -- runs

    async def begin(self, run: EvaluationRun) -> EvaluationRun:
        """Stored with the next number of its evaluation."""
        numbered = replace(run, number=await self._next_number(run.evaluation), revision=1)
        await self._context.store.put_entry(_mark(_OPEN, run.id), None)
        await self._context.store.put_entry(_run_entry(numbered), None)
        return numbered

    async def _next_number(self, evaluation: str) -> int:
        for _ in range(_TRIES):
            known = await self._context.store.entry(_NUMBER, evaluation)
            number = 1 if known is None else known.place + 1
            entry = Entry(_NUMBER, evaluation, "", number, number, b"")
            if await self._context.store.put_entry(entry, None if known is None else known.revision):
                return number
        raise Conflict(f"Too many runs of {evaluation} begin at once; try again.")

    async def run(self, run_id: str) -> EvaluationRun:
        """Raises `NotFound`."""
        found = await self._context.store.entry(_RUN, run_id)
        if found is None:
            raise NotFound(missing_run(run_id))
        return _run(found)

    async def runs(self, evaluation: str, before: int | None, limit: int) -> list[EvaluationRun]:
        """The newest first. before: only runs with a smaller number."""
        after = None if before is None else (before, "")
        found = await self._context.store.entries(_RUN, evaluation, after=after, limit=limit, newest_first=True)
        return [_run(each) for each in found]

    async def runs_of(self, evaluation: str) -> AsyncIterator[EvaluationRun]:
        """All, the oldest first."""
        async for each in self._all(_RUN, evaluation):
            yield _run(each)

    async def run_count(self, evaluation: str) -> int:
        return await self._context.store.entry_count(_RUN, evaluation)

    async def change_run(self, run: EvaluationRun) -> EvaluationRun | None:
        """None: somebody else has changed or deleted it; nothing is stored then."""
        changed = replace(run, revision=run.revision + 1)
        return changed if await self._context.store.put_entry(_run_entry(changed), run.revision) else None

    async def delete_run(self, run_id: str) -> None:
        """With its rows."""
        await self._context.store.delete_entries(_ROW, run_id)  # first: nobody would find them without their run
        for kind in (_RUN, _OPEN, _CANCEL):
            await self._context.store.delete_entry(kind, run_id)

    async def open_runs(self) -> list[str]:
        """Ids of runs that go on, wherever."""
        return [each.id async for each in self._all(_OPEN, "")]

    async def close(self, run_id: str) -> None:
        """It goes on no more."""
        for kind in (_OPEN, _CANCEL):
            await self._context.store.delete_entry(kind, run_id)

    async def wish_cancel(self, run_id: str) -> None:
        await self._context.store.put_entry(_mark(_CANCEL, run_id), None)

    async def is_cancel_wished(self, run_id: str) -> bool:
        return await self._context.store.entry(_CANCEL, run_id) is not None

    # -- rows

    async def row(self, run_id: str, row_id: int) -> EvaluatedRow | None:
        found = await self._context.store.entry(_ROW, f"{run_id}/{row_id}")
        return None if found is None else _row(found)

    async def put_row(self, run_id: str, row: EvaluatedRow) -> EvaluatedRow | None:
        """In place of what it was made of. None: somebody else has written it; nothing is stored then."""
        kept = replace(row, revision=row.revision + 1)
        entry = Entry(_ROW, f"{run_id}/{row.row_id}", run_id, row.place, kept.revision, stored_json(_plain(kept)))
        return kept if await self._context.store.put_entry(entry, row.revision or None) else None

    async def row_count(self, run_id: str) -> int:
        """Those that run among them."""
        return await self._context.store.entry_count(_ROW, run_id)

    async def rows(self, run_id: str, after: int | None, limit: int) -> list[EvaluatedRow]:
        """By place. after: only rows behind this place."""
        mark = None if after is None else (after, "\U0010ffff")
        found = await self._context.store.entries(_ROW, run_id, after=mark, limit=limit, newest_first=False)
        return [_row(each) for each in found]

    async def rows_of(self, run_id: str) -> AsyncIterator[EvaluatedRow]:
        """All, by place."""
        async for each in self._all(_ROW, run_id):
            yield _row(each)

    async def _all(self, kind: str, parent: str) -> AsyncIterator[Entry]:
        after: tuple[int, str] | None = None
        while True:
            found: Sequence[Entry] = await self._context.store.entries(
                kind, parent, after=after, limit=PAGE, newest_first=False
            )
            for each in found:
                yield each
            if len(found) < PAGE:
                return
            after = (found[-1].place, found[-1].id)


def missing_evaluation(name: str) -> str:
    """Said of one that is not there."""
    return f"There is no evaluation {name[:100]}."


def missing_run(run_id: str) -> str:
    return f"There is no run {run_id[:100]} of an evaluation."


def _mark(kind: str, run_id: str) -> Entry:
    return Entry(kind, run_id, "", 0, 1, b"")


def _evaluation_entry(evaluation: StoredEvaluation) -> Entry:
    data = stored_json(as_dict(evaluation))
    return Entry(_EVALUATION, evaluation.name, "", evaluation.created_at, evaluation.version, data)


def _evaluation(entry: Entry) -> StoredEvaluation:
    return StoredEvaluation(**loaded(entry.data))


def _run_entry(run: EvaluationRun) -> Entry:
    return Entry(_RUN, run.id, run.evaluation, run.number, run.revision, stored_json(_plain(run)))


def _run(entry: Entry) -> EvaluationRun:
    found = loaded(entry.data)
    totals = found.pop("totals")
    spent = Spent(**totals.pop("spent"))
    return EvaluationRun(**{**found, "revision": entry.revision}, totals=Totals(**totals, spent=spent))


def _row(entry: Entry) -> EvaluatedRow:
    found = loaded(entry.data)
    scores = [RowScore(**each) for each in found.pop("scores")]
    return EvaluatedRow(**{**found, "revision": entry.revision, "spent": Spent(**found["spent"]), "scores": scores})


def _plain(value: EvaluationRun | EvaluatedRow) -> Mapping[str, object]:
    found = as_dict(value)
    if isinstance(value, EvaluationRun):
        return {**found, "totals": {**as_dict(value.totals), "spent": as_dict(value.totals.spent)}}
    return {**found, "spent": as_dict(value.spent), "scores": [as_dict(each) for each in value.scores]}
