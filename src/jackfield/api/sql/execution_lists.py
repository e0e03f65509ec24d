"""Lists of executions and their counts over a database with SQL, by counts that are kept.

The table `execution_counts` has the ended executions by spans of `jackfield.api.execution_counts`. Each store changes
it with them, and keeps sums of it. At a million executions of hundreds of workflows, it has tens of thousands of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias

from ..execution_counts import SPAN_BITS, Place, place_of, span_of, stretch
from ..records import replace
from ..storage import OPEN_STATUSES, ExecutionFilter, ExecutionRow, Page
from .conditions import where
from .dialect import ConnectionT, SqlValue, StoreDialect
from .projects import within_condition

_LOST = ("failed", "cancelled")
_ORDER = "ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?"
_Counted: TypeAlias = "tuple[str | int, int]"
"""A status or a span, and how many."""
SHALLOW = 500
"""Rows that a page skips one by one."""


class ExecutionLists(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction that sees one moment."""

    def __init__(
        self,
        dialect: StoreDialect[ConnectionT],
        columns: str,
        make: Callable[..., ExecutionRow],
        *,
        counts: str,
        by_workflow: str,
        by_span: str,
        open_rows: str = "executions",
        lost: str = "",
    ) -> None:
        """`columns`, `make`: of a list row.

        `counts`: where the columns of `execution_counts` stand. Several rows of a kind add up. `by_workflow`,
        `by_span`: where sums of them stand, over all spans and over all workflows. `open_rows`: the table, so named
        that those with `finished_at IS NULL` are found by themselves. `lost`: stands behind the condition that those
        are wanted that have failed, or those that were cancelled, so that their index is found.
        """
        self._sql = dialect
        self._columns = columns
        self._make = make
        self._counts = counts
        self._by_workflow = by_workflow
        self._by_span = by_span
        self._open_rows = open_rows
        self._lost = lost

    def ended(self, connection: ConnectionT) -> int:
        """How many ended executions there are."""
        return self._sql.number(connection, f"SELECT sum(number) FROM {self._by_workflow}")  # noqa: S608 - our own names

    def stats(self, connection: ConnectionT, wanted: ExecutionFilter) -> dict[str, int]:
        """Status -> count."""
        found: dict[str, int] = {}
        for status, count in [*self._ended(connection, wanted, "status"), *self._open(connection, wanted, "status")]:
            found[str(status)] = found.get(str(status), 0) + int(count)
        return {status: count for status, count in found.items() if count > 0}

    def page(self, connection: ConnectionT, wanted: ExecutionFilter, offset: int, limit: int) -> Page[ExecutionRow]:
        """One page, the newest first, and the count of all."""
        total = sum(self.stats(connection, wanted).values())
        if total <= offset:
            return Page([], total)
        place = self._place(connection, wanted, offset) if offset > SHALLOW else None
        if place is None:
            clause, values = self._conditions(wanted)
            return Page(self._rows(connection, clause, [*values, limit, offset]), total)
        return Page(self._behind(connection, replace(wanted, until=place.until), place.skipped, limit), total)

    def _rows(self, connection: ConnectionT, clause: str, values: Sequence[SqlValue]) -> list[ExecutionRow]:
        sql = f"SELECT {self._columns} FROM executions{clause} {_ORDER}"  # noqa: S608 - our own clause
        return [self._make(*row) for row in self._sql.execute(connection, sql, values)]

    def _place(self, connection: ConnectionT, wanted: ExecutionFilter, offset: int) -> Place | None:
        spans: dict[int, int] = {}
        span = f"created_at >> {SPAN_BITS}"
        for at, count in [*self._ended(connection, wanted, "span"), *self._open(connection, wanted, span)]:
            spans[int(at)] = spans.get(int(at), 0) + int(count)
        return place_of(offset, sorted(spans.items(), reverse=True), wanted.until)

    def _behind(self, connection: ConnectionT, wanted: ExecutionFilter, skipped: int, limit: int) -> list[ExecutionRow]:
        """Of those that are wanted, behind that many. The skipped ones are read in an index alone."""
        clause, values = self._conditions(wanted)
        sql = f"SELECT created_at, id FROM executions{clause} {_ORDER}"  # noqa: S608 - our own clause
        key = self._sql.execute(connection, sql, [*values, 1, skipped]).fetchone()
        if key is None:
            return []
        return self._rows(connection, f"{clause} AND (created_at, id) <= (?, ?)", [*values, *key, limit, 0])

    def _ended(self, connection: ConnectionT, wanted: ExecutionFilter, by: str) -> list[_Counted]:
        """by: `status` or `span`."""
        if wanted.status in OPEN_STATUSES:
            return []
        between = stretch(wanted.since, wanted.until)
        found: list[_Counted] = []
        if not between.empty:
            clause, values = where(
                [("workflow_id = ? AND workflow_id <> ''", wanted.workflow_id), ("status = ?", wanted.status),
                 ("mode = ?", wanted.mode), ("span >= ?", between.first), ("span <= ?", between.last)]
            )  # fmt: skip
            clause, values = self._limited(clause, values, wanted)
            sql = f"SELECT {by}, sum(number) FROM {self._source(wanted, by)}{clause} GROUP BY {by}"  # noqa: S608 - our own words
            found += self._sql.execute(connection, sql, values).fetchall()
        for first, last in between.edges:
            clause, values = self._conditions(replace(wanted, since=first, until=last))
            sql = f"SELECT status, count(*) FROM executions{clause} AND finished_at IS NOT NULL GROUP BY 1"  # noqa: S608 - our own words
            rows = self._sql.execute(connection, sql, values).fetchall()
            found += rows if by == "status" else [(span_of(first), count) for _, count in rows]
        return found

    def _source(self, wanted: ExecutionFilter, by: str) -> str:
        """The smallest one that tells these apart."""
        if by == "status" and wanted.since is None and wanted.until is None:
            return self._by_workflow
        return self._by_span if wanted.workflow_id is None and wanted.within is None else self._counts

    def _open(self, connection: ConnectionT, wanted: ExecutionFilter, by: str) -> list[_Counted]:
        """by: an expression."""
        if wanted.status is not None and wanted.status not in OPEN_STATUSES:
            return []
        clause, values = self._conditions(wanted)
        clause += " AND" if clause else " WHERE"
        sql = f"SELECT {by}, count(*) FROM {self._open_rows}{clause} finished_at IS NULL GROUP BY 1"  # noqa: S608 - our own words
        return self._sql.execute(connection, sql, values).fetchall()

    def _conditions(self, wanted: ExecutionFilter) -> tuple[str, list[SqlValue]]:
        """The added terms let the partial indexes serve."""
        clause, values = where(
            [("workflow_id = ?", wanted.workflow_id), ("status = ?", wanted.status), ("mode = ?", wanted.mode),
             ("created_at >= ?", wanted.since), ("created_at <= ?", wanted.until)]
        )  # fmt: skip
        if wanted.status in OPEN_STATUSES:
            clause += " AND finished_at IS NULL"
        elif wanted.status in _LOST:
            clause += self._lost
        return self._limited(clause, values, wanted)

    def _limited(self, clause: str, values: list[SqlValue], wanted: ExecutionFilter) -> tuple[str, list[SqlValue]]:
        """To the workflows of some projects, where `workflow_id` is an empty text or nothing without one."""
        if wanted.within is None:
            return clause, values
        condition, more = within_condition(self._sql, "workflow", "workflow_id", wanted.within)
        start = " AND" if clause else " WHERE"
        return f"{clause}{start} coalesce(workflow_id, '') <> '' AND {condition}", [*values, *more]
