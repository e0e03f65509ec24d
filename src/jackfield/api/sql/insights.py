"""`jackfield.api.storage.insights.InsightStore` over a database with SQL. A trigger of each store fills `insights`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Generic

from ..storage.insights import DAY_MS, HOUR_MS, WEEK_MS, EndedCount, EndedFilter
from .dialect import ConnectionT, SqlDatabase, SqlValue, StoreDialect
from .projects import within_condition

TOOK = "CASE WHEN {row}finished_at > {start} THEN {row}finished_at - {start} ELSE 0 END"
_TOOK = TOOK.format(row="", start="coalesce(started_at, created_at)")
_ENDED = f"""(SELECT start, workflow_id, mode, status, number, took_ms FROM insights WHERE start >= ? AND start < ?
    UNION ALL SELECT finished_at / {HOUR_MS} * {HOUR_MS}, coalesce(workflow_id, ''), mode, status, 1, {_TOOK}
        FROM executions WHERE finished_at >= ? AND finished_at < ?) AS ended"""  # noqa: S608 - our own words
_SUMS = "CAST(sum(number) AS bigint), CAST(sum(took_ms) AS bigint)"
_MONDAY = 3 * DAY_MS
"""From a Monday to the first day of Unix time, a Thursday."""
_HOURLY = f"start < ? AND start / {DAY_MS} * {DAY_MS} <> start"
_FIRST = f"SELECT min(start) FROM insights WHERE {_HOURLY}"  # noqa: S608 - our own words
_LOCK = f"SELECT start FROM insights WHERE start >= ? AND {_HOURLY} ORDER BY start, workflow_id, mode, status"  # noqa: S608 - our own words
_TAKE = f"DELETE FROM insights WHERE start >= ? AND {_HOURLY} RETURNING workflow_id, mode, status, number, took_ms"  # noqa: S608 - our own words
_ADD = """INSERT INTO insights (start, workflow_id, mode, status, number, took_ms) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (start, workflow_id, mode, status) DO UPDATE SET
        number = insights.number + excluded.number, took_ms = insights.took_ms + excluded.took_ms"""
_FORGET = "DELETE FROM insights WHERE start < ?"


class InsightWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect

    def by_workflow(self, connection: ConnectionT, where: EndedFilter) -> list[EndedCount]:
        return self._sums(connection, where, "workflow_id")

    def by_time(self, connection: ConnectionT, where: EndedFilter, unit_ms: int) -> list[EndedCount]:
        shift = _MONDAY if unit_ms == WEEK_MS else 0
        return self._sums(connection, where, f"(start + {shift}) / {int(unit_ms)} * {int(unit_ms)} - {shift}")

    def _sums(self, connection: ConnectionT, where: EndedFilter, key: str) -> list[EndedCount]:
        clause, values = "", [where.since, where.until, where.since, where.until]
        given: list[SqlValue] = list(values)
        for field, among in (("mode", where.modes), ("workflow_id", where.workflow_ids)):
            if among is not None:
                clause += f"{' AND' if clause else ' WHERE'} {self._sql.among(field)}"
                given.append(self._sql.listed(list(among)))
        if where.within is not None:
            condition, more = within_condition(self._sql, "workflow", "workflow_id", where.within)
            clause += f"{' AND' if clause else ' WHERE'} workflow_id <> '' AND {condition}"
            given += more
        sql = f"SELECT {key}, status, {_SUMS} FROM {_ENDED}{clause} GROUP BY 1, 2 ORDER BY 1, 2"  # noqa: S608 - our own words
        return [EndedCount(*row) for row in self._sql.execute(connection, sql, given).fetchall()]

    def first_hour(self, connection: ConnectionT, before: int) -> int | None:
        """The oldest one that is no day yet, Unix ms; None: there is none."""
        found = self._sql.execute(connection, _FIRST, [before]).fetchone()
        return None if found is None or found[0] is None else int(found[0])

    def make_day(self, connection: ConnectionT, day: int, before: int) -> None:
        """Of its hours before that time. Exactly those that are taken are added: a deletion elsewhere may bring one at
        any moment."""
        end = min(day + DAY_MS, before)
        self._sql.execute(connection, self._sql.waiting(_LOCK), [day, end]).fetchall()
        sums: dict[tuple[str, str, str], tuple[int, int]] = {}
        for workflow_id, mode, status, number, took in self._sql.execute(connection, _TAKE, [day, end]).fetchall():
            had = sums.get((workflow_id, mode, status), (0, 0))
            sums[workflow_id, mode, status] = (had[0] + number, had[1] + took)
        for key in sorted(sums):
            self._sql.repeat(connection, _ADD, [day, *key, *sums[key]])

    def forget(self, connection: ConnectionT, before: int) -> None:
        self._sql.execute(connection, _FORGET, [before])


class SqlInsights(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _insights: InsightWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def ended_by_workflow(self, where: EndedFilter) -> Sequence[EndedCount]:
        return await self.database.read(lambda connection: self._insights.by_workflow(connection, where))

    async def ended_by_time(self, where: EndedFilter, unit_ms: int) -> Sequence[EndedCount]:
        return await self.database.read(lambda connection: self._insights.by_time(connection, where, unit_ms))

    async def compact_insights(self, daily_before: int, forget_before: int) -> None:
        """A day at a time, so that writes of others come between."""
        await self.database.write_alone(lambda connection: self._insights.forget(connection, forget_before))
        while True:
            hour = await self.database.read(lambda connection: self._insights.first_hour(connection, daily_before))
            if hour is None:
                return
            day = hour // DAY_MS * DAY_MS
            await self.database.write_alone(partial(self._insights.make_day, day=day, before=daily_before))
