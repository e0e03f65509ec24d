"""Every run that goes on at this daemon, and those that it takes over from daemons that are gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield_evaluations.book import EvaluationBook
from jackfield_evaluations.records import EvaluationRun
from jackfield_evaluations.running.session import LostRun, RunSession
from jackfield_evaluations.running.telling import tell_finished, tell_started
from jackfield_evaluations.settings import EvaluationsSettings


class EvaluationRuns:
    """A part of the plugin."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._book = context.port(EvaluationBook)
        self._settings = context.settings(EvaluationsSettings)
        self._slots = asyncio.Semaphore(self._settings.concurrent)
        self._owner = new_id()
        self._here: dict[str, tuple[RunSession, asyncio.Task[None]]] = {}
        self._beginning: set[str] = set()
        """Runs that are being stored, which nobody takes for those of a daemon that is gone."""
        self._seen: Mapping[str, tuple[int, int]] = {}
        """Run of another daemon -> its revision, and when that was seen first (Unix ms of this clock)."""

    async def start(self, run: EvaluationRun) -> EvaluationRun:
        """run: without a number. Returns once it is durable. Raises `Conflict` when too many go on here, `NotFound`."""
        if self._count >= self._settings.max_runs:
            raise Conflict(
                f"This daemon has {self._count} runs of evaluations going on; wait for one, or raise the setting "
                "evaluations.max_runs."
            )
        self._beginning.add(run.id)
        try:
            begun = await self._book.begin(replace(run, owner=self._owner))
            try:
                await self._book.evaluation(run.evaluation)
            except NotFound:  # deleted meanwhile
                await self._book.delete_run(run.id)
                raise
            self._begin(begun)
        finally:
            self._beginning.discard(run.id)
        tell_started(self._context, begun)
        return begun

    @property
    def _count(self) -> int:
        return len(self._here) + len(self._beginning)

    async def cancel(self, run_id: str) -> EvaluationRun:
        """Wherever it goes on. Raises `NotFound`, `Conflict` when it is over."""
        run = await self._book.run(run_id)
        if run.status != "running":
            raise Conflict(f"The run {run.number} of {run.evaluation} is over.")
        await self._book.wish_cancel(run_id)
        if run_id in self._here:
            self._here[run_id][0].end("cancelled", "")
        return run

    def standing(self, run: EvaluationRun) -> EvaluationRun:
        """The same with what is known here beyond the store."""
        found = self._here.get(run.id)
        return run if found is None else replace(run, totals=found[0].run.totals)

    async def take_over(self) -> int:
        """Go on with runs whose daemon has shown no sign for the lease, or has left them; returns how many."""
        now, taken = self._context.clock.now_ms(), 0
        seen: dict[str, tuple[int, int]] = {}
        alone = self._context.store.exclusive
        for run_id in await self._book.open_runs():
            if run_id in self._here or run_id in self._beginning:
                continue
            run = await self._found(run_id)
            revision = 0 if run is None else run.revision
            known, since = self._seen.get(run_id, (revision, now))
            since = since if known == revision else now
            seen[run_id] = (revision, since)
            stale = alone or now - since >= self._settings.lease * 1000
            if run is None or run.status != "running":
                if stale:
                    await self._book.close(run_id)
            elif (stale or not run.owner) and self._count < self._settings.max_runs:
                taken += await self._take(run)
        self._seen = seen
        return taken

    async def leave(self) -> None:
        """Stop working on every run; what runs of their rows goes on in the engine."""
        tasks = [task for _, task in self._here.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _found(self, run_id: str) -> EvaluationRun | None:
        try:
            return await self._book.run(run_id)
        except NotFound:
            return None

    async def _take(self, run: EvaluationRun) -> bool:
        taken = await self._book.change_run(replace(run, owner=self._owner, resumed=run.resumed + 1))
        if taken is None:
            return False
        self._context.log.info("The run %d of the evaluation %s goes on here.", run.number, run.evaluation)
        self._begin(taken)
        return True

    async def _end_deleted(self, session: RunSession) -> None:
        """Nothing of a run that was deleted goes on; one that was taken over goes on with its executions."""
        try:
            await self._book.run(session.run.id)
        except NotFound:
            session.end("cancelled", "")
        except StoreUnavailable:
            self._context.log.warning("Executions of the run %s of an evaluation may go on.", session.run.id)

    def _begin(self, run: EvaluationRun) -> None:
        session = RunSession(self._context, self._book, run, self._slots)
        task = self._context.spawn(f"evaluation {run.id}", self._work(session))
        self._here[run.id] = (session, task)

    async def _work(self, session: RunSession) -> None:
        run_id = session.run.id
        try:
            await session.work()
            tell_finished(self._context, session.run)
        except asyncio.CancelledError:  # the daemon stops: another one may go on at once
            with contextlib.suppress(LostRun, StoreUnavailable):
                await session.leave()
            raise
        except LostRun:
            self._context.log.warning("The run %s of an evaluation goes on elsewhere, or was deleted.", run_id)
            await self._end_deleted(session)
        except StoreUnavailable as exc:
            self._context.log.warning("The run %s of an evaluation waits for the store: %s", run_id, exc.message)
        finally:
            self._here.pop(run_id, None)
