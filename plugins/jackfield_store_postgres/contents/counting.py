"""Counts of ended executions, which triggers change, so that daemons of the version before do it, too.

They add rows to `execution_changes`, one for each statement and group, for which nobody waits. The job that deletes old
rows sums them up into `execution_counts`, of which other triggers keep sums.
"""

from __future__ import annotations

from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.server.connections import Connection

COUNTS = "(SELECT * FROM execution_counts UNION ALL SELECT * FROM execution_changes) AS counts"
"""Both together."""
_CHANGES = "number FROM execution_changes"
BY_WORKFLOW = f"""(SELECT workflow_id, mode, status, number FROM workflow_counts
    UNION ALL SELECT workflow_id, mode, status, {_CHANGES}) AS counts"""  # noqa: S608 - our own words
BY_SPAN = f"""(SELECT span, mode, status, number FROM span_counts
    UNION ALL SELECT span, mode, status, {_CHANGES}) AS counts"""  # noqa: S608 - our own words
"""Sums of both, over all spans and over all workflows."""
SUM_UP = """WITH gone AS (DELETE FROM execution_changes RETURNING span, workflow_id, mode, status, number)
    INSERT INTO execution_counts AS c (span, workflow_id, mode, status, number)
    SELECT span, workflow_id, mode, status, sum(number)::bigint FROM gone GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (span, workflow_id, mode, status) DO UPDATE SET number = c.number + excluded.number"""
_UNCOUNTED = tuple(
    f"DELETE FROM {table} WHERE number = 0"  # noqa: S608 - our own words
    for table in ("execution_counts", "workflow_counts", "span_counts")
)


def sum_up(connection: Connection) -> None:
    """The changes into the counts."""
    if execute(connection, SUM_UP).rowcount:
        for sql in _UNCOUNTED:
            execute(connection, sql)
