"""A run that goes on here: its rows side by side, its bounds, its progress in the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.projects import ProjectReach, reaching
from jackfield.api.records import record, replace
from jackfield.api.storage.tables import DataRow, DataTable, RowFilter, RowMark, RowOrder
from jackfield.api.workflows import Workflow
from jackfield_evaluations.book import EvaluationBook
from jackfield_evaluations.definition import EvaluationBody, WorkflowTarget
from jackfield_evaluations.executing.executions import cancel_execution
from jackfield_evaluations.executing.reach import reach_of
from jackfield_evaluations.records import EvaluatedRow, EvaluationRun, RunStatus, Totals
from jackfield_evaluations.running.rows import RowWork, finish_row, row_json
from jackfield_evaluations.running.targets import start_of, target_workflow
from jackfield_evaluations.running.telling import tell_progress
from jackfield_evaluations.settings import EvaluationsSettings

_ROWS = 50
"""Rows of the table that are read at once."""
_UNEXPECTED = "It failed in a way that was not expected; the daemon's log says more."
Placed: TypeAlias = "tuple[int, DataRow]"


class LostRun(Exception):
    """Somebody else goes on with the run, or it was deleted: nothing more is written."""


@record
class _Prepared:
    definition: EvaluationBody
    workflow: Workflow
    start: str
    table: DataTable
    rows: int


class RunSession:
    """run: owned by this daemon. slots: rows that it works on at a time, in all runs."""

    def __init__(
        self, context: PluginContext, book: EvaluationBook, run: EvaluationRun, slots: asyncio.Semaphore
    ) -> None:
        self._context = context
        self._book = book
        self._slots = slots
        self._settings = context.settings(EvaluationsSettings)
        self._run = run
        self._written: Totals | None = None
        self._ended: RunStatus | None = None
        self._problem = ""
        self._aborted = False
        self._executions: set[str] = set()
        self._writing = asyncio.Lock()
        self._began_ms = context.clock.now_ms()
        self._written_ms = self._began_ms

    @property
    def run(self) -> EvaluationRun:
        """As it stands."""
        return self._run

    async def work(self) -> None:
        """To the end of the run, which is stored then. Cancelled, it leaves the run to whoever takes it over. Raises
        `LostRun`, `StoreUnavailable`."""
        keeper = asyncio.create_task(self._keep())
        worker = asyncio.create_task(self._rows())
        try:
            await asyncio.wait({keeper, worker}, return_when=asyncio.FIRST_COMPLETED)
            if keeper.done():
                keeper.result()
            worker.result()
        except (LostRun, StoreUnavailable):
            raise
        except JackfieldError as exc:
            self.end("failed", exc.message)
        except Exception:
            self._context.log.exception("The run %s of an evaluation has failed.", self._run.id)
            self.end("failed", _UNEXPECTED)
        finally:
            async with self._writing:  # a write whose outcome is not known would be taken for another's
                for task in (keeper, worker):
                    task.cancel()
            await asyncio.wait({keeper, worker})
        await self._finish()

    def end(self, status: RunStatus, problem: str) -> None:
        """Begin no more rows, and cancel what runs."""
        self._end(status, problem)
        self._aborted = True
        for execution_id in list(self._executions):
            self._context.spawn(f"cancel {execution_id}", cancel_execution(self._context, execution_id))

    async def leave(self) -> None:
        """Nobody owns the run any more; after `work` was cancelled."""
        await self._write(replace(self._run, owner=""))

    def _end(self, status: RunStatus, problem: str = "") -> None:
        if self._ended is None:
            self._ended, self._problem = status, problem

    # -- rows

    async def _rows(self) -> None:
        prepared = await self._prepare()
        self._run = replace(self._run, totals=await self._totals(prepared))
        self._look_at_bounds(prepared.definition)
        coming = self._coming(prepared)
        lock = asyncio.Lock()

        async def following() -> Placed | None:
            async with lock:
                return await anext(coming, None)

        async def worker() -> None:
            try:
                while self._ended is None and (placed := await following()) is not None:
                    async with self._slots:
                        if self._ended is None:
                            await self._row(prepared, *placed)
            except StoreUnavailable:
                raise
            except JackfieldError as exc:  # such as of a table that was deleted: what runs has no use any more
                self.end("failed", exc.message)

        count = min(prepared.definition.concurrent, self._settings.concurrent)
        tasks = [asyncio.create_task(worker()) for _ in range(count)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _prepare(self) -> _Prepared:
        """Raises `JackfieldError`."""
        definition = EvaluationBody.model_validate(self._run.definition)
        workflow = await target_workflow(self._context, definition, self._run.workflow_version)
        table = await self._context.store.data_table(definition.table_id)
        if table is None:
            raise JackfieldError(f"There is no data table {definition.table_id}; choose another one.")
        most = min(definition.limits.rows or self._settings.max_rows, self._settings.max_rows)
        rows = min(table.rows, most)
        return _Prepared(definition, workflow, start_of(self._context, definition, workflow), table, rows)

    async def _totals(self, prepared: _Prepared) -> Totals:
        """Of the rows that are over already, when the run goes on elsewhere."""
        found = Totals(prepared.rows)
        if self._run.resumed:
            async for row in self._book.rows_of(self._run.id):
                if row.status != "running":
                    found = found.and_row(row, prepared.definition.pass_score)
        return found

    async def _coming(self, prepared: _Prepared) -> AsyncIterator[Placed]:
        mark: RowMark | None = None
        place = 0
        while place < prepared.rows:
            rows = await self._context.store.data_rows_after(
                prepared.table.id,
                RowFilter(),
                order=RowOrder(),
                mark=mark,
                limit=min(_ROWS, prepared.rows - place),
            )
            if not rows:
                self._run = replace(self._run, totals=replace(self._run.totals, rows=place))
                return
            for row in rows:
                yield place, row
                place += 1
            mark = RowMark(rows[-1].id, rows[-1].id)

    async def _row(self, prepared: _Prepared, place: int, row: DataRow) -> None:
        known = await self._book.row(self._run.id, row.id) if self._run.resumed else None
        if known is not None and known.status != "running":
            return
        began = known or EvaluatedRow(row.id, place, "running", self._context.clock.now_ms())
        revision, mine = began.revision, set[str]()

        def started(execution_id: str) -> None:
            if self._aborted:
                raise JackfieldError("The run has ended before.")
            mine.add(execution_id)
            self._executions.add(execution_id)

        async def keep(changed: EvaluatedRow) -> None:
            nonlocal revision
            kept = await self._book.put_row(self._run.id, replace(changed, revision=revision))
            if kept is None:
                raise LostRun
            revision = kept.revision

        work = RowWork(self._context, prepared.definition, prepared.workflow, prepared.start, keep, started)
        left = prepared.rows - place - 1
        try:
            with reaching(await self._reach(prepared.definition)):
                done = await finish_row(work, row_json(prepared.table, row), began, left)
        except (LostRun, StoreUnavailable):
            raise
        except Exception:
            self._context.log.exception("A row of the run %s of an evaluation has failed.", self._run.id)
            done = replace(began, status="failed", score=0.0, problem=_UNEXPECTED)
        await keep(done)
        self._executions -= mine
        self._run = replace(self._run, totals=self._run.totals.and_row(done, prepared.definition.pass_score))
        self._look_at_bounds(prepared.definition)

    async def _reach(self, definition: EvaluationBody) -> ProjectReach | None:
        """Templates, programs, agents and judges have the rights of the project that the workflow is in, or the table
        of a profile."""
        target = definition.target
        if isinstance(target, WorkflowTarget):
            return await reach_of(self._context, "workflow", target.workflow_id)
        return await reach_of(self._context, "data-table", definition.table_id)

    def _look_at_bounds(self, definition: EvaluationBody) -> None:
        spent, limits = self._run.totals.spent, definition.limits
        if limits.cost is not None and spent.cost >= limits.cost:
            self._end("stopped", f"The budget of {limits.cost:g} US dollars is used up.")
        elif limits.tokens is not None and spent.tokens >= limits.tokens:
            self._end("stopped", f"The budget of {limits.tokens} tokens is used up.")

    # -- progress

    async def _keep(self) -> None:
        """Stores progress, and looks whether the run is to end. Raises `LostRun`."""
        while True:
            await self._context.clock.sleep(self._settings.look_interval)
            try:
                await self._look()
            except StoreUnavailable as exc:
                self._context.log.warning("The run %s of an evaluation waits: %s", self._run.id, exc.message)

    async def _look(self) -> None:
        if self._ended is None and await self._book.is_cancel_wished(self._run.id):
            self.end("cancelled", "")
        seconds = (self._context.clock.now_ms() - self._run.created_at) / 1000
        most = min(self._limit_seconds() or self._settings.run_timeout, self._settings.run_timeout)
        if self._ended is None and seconds >= most:
            self.end("stopped", f"The {most:g} seconds of the run are over.")
        due = self._context.clock.now_ms() - self._written_ms >= self._settings.lease * 1000 / 3
        if due or self._run.totals != self._written:
            await self._write(self._run)
            tell_progress(self._context, self._run)

    def _limit_seconds(self) -> float | None:
        limits = self._run.definition.get("limits")
        found = limits.get("seconds") if isinstance(limits, dict) else None
        return float(found) if isinstance(found, int | float) else None

    async def _write(self, run: EvaluationRun) -> None:
        """Raises `LostRun`."""
        async with self._writing:
            self._written, self._written_ms = run.totals, self._context.clock.now_ms()
            stored = await self._book.change_run(run)
            if stored is None:
                raise LostRun
            # Rows may have ended meanwhile.
            self._run = replace(self._run, revision=stored.revision, owner=run.owner)

    async def _finish(self) -> None:
        status = self._ended or "finished"
        ended = replace(
            self._run, status=status, problem=self._problem, owner="", finished_at=self._context.clock.now_ms()
        )
        stored = await self._book.change_run(ended)
        if stored is None:
            raise LostRun
        self._run = stored
        await self._book.close(stored.id)
