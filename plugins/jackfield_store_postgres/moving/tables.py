"""The forms of `jackfield.api.store_forms` as PostgreSQL's tables: how each is read, and how its rows are written.

`OWN` and `OWN_COLUMNS` are what no copy has. A test holds that nothing else is missing.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from jackfield.api.records import record
from jackfield.api.sql.moves import FOLDERS
from jackfield.api.store_forms import StoreForm
from jackfield_store_postgres.contents.places import OWN_BODY, PLACES

OWN: Mapping[str, str] = {
    "jackfield_schema": "says whose schema it is",
    "copy_notes": "there while a copy fills the store",
    "writers": "what became of the last transactions of daemons that run",
    "memos": "sessions of browsers and what else ends by itself, which other stores keep in memory and files",
    "shared_counts": "of the last minutes, and other stores have one daemon",
    "hosts": "daemons that run say so themselves",
    "execution_counts": "counted by triggers while a copy is filled",
    "execution_changes": "the same",
    "workflow_counts": "the same",
    "span_counts": "the same",
    "revisions": "what daemons that run have heard of; counted anew",
    "workflow_revisions": "the same; every workflow gets one at the end of a copy",
}
"""Tables of which a copy has nothing, with the reason."""
OWN_COLUMNS: Mapping[str, Mapping[str, object]] = {
    "webhook_stats": {"share": 0},
    "deliveries": {"claimed_at": 0},
    "released_files": {"claimed_at": None},
    "incarnations": {
        "lease_ms": 1, "lease_until": datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC), "alive": False,
    },
}  # fmt: skip
"""Columns that no other store has, with what they hold in a copy."""
MADE_COLUMNS: Mapping[str, frozenset[str]] = {"folders": frozenset({"depth"}), "calls": frozenset({"body_places"})}
"""Columns of a form that are found when it is read, at its beginning."""
KINDS: Mapping[str, str] = {
    "text": "text", "integer": "int8", "real": "float8", "boolean": "bool", "bytes": "bytea",
}  # fmt: skip
_OWN_TYPES: Mapping[str, str] = {
    "share": "int8", "claimed_at": "int8", "lease_ms": "int8", "lease_until": "timestamptz", "alive": "bool",
}  # fmt: skip

SOURCES: Mapping[str, str] = {
    "folders": FOLDERS,
    "calls": f"""SELECT {PLACES} AS body_places, c.webhook_id, c.id, c.execution_id, c.time, c.method, c.headers,
            {OWN_BODY} AS body, c.query, c.event, c.status, c.truncated, c.response_status, c.duration_ms,
            c.response_truncated, c.response_body FROM calls c""",  # noqa: S608 - our own words
    "webhook_stats": """SELECT webhook_id, sum(total)::bigint AS total, sum(success)::bigint AS success,
            sum(failed)::bigint AS failed, sum(rejected)::bigint AS rejected,
            max(last_call) AS last_call FROM webhook_stats GROUP BY webhook_id""",
    "incarnations": """SELECT DISTINCT e.owner AS id, coalesce(i.daemon, '') AS daemon FROM executions e
        LEFT JOIN incarnations i ON i.id = e.owner WHERE e.finished_at IS NULL AND e.owner IS NOT NULL""",
    "executions": """SELECT id, workflow_id, workflow_version, mode, status, created_at, started_at, finished_at,
            resume_at, error, retry_of, call_id, webhook_id, CASE WHEN finished_at IS NULL THEN owner END AS owner,
            epoch, input, document, sealed FROM executions""",
}  # fmt: skip
"""Forms that are not read as they stand."""


@record
class Filled:
    """How rows of a form go into its table.

    `columns`, `types`: in the order of `COPY`. `leaves_out`: values at the beginning of a row that have no column.
    `constants`: those behind a row.
    """

    columns: Sequence[str]
    types: Sequence[str]
    leaves_out: int
    constants: Sequence[object]


def filled(form: StoreForm) -> Filled:
    made = MADE_COLUMNS.get(form.name, frozenset())
    own = OWN_COLUMNS.get(form.name, {})
    columns = [name for name in form.columns if name not in made]
    types = [KINDS[form.columns[name]] for name in columns]
    return Filled([*columns, *own], [*types, *(_OWN_TYPES[name] for name in own)], len(made), list(own.values()))


_NEXT = """SELECT setval(pg_get_serial_sequence('{table}', '{column}'),
    (SELECT coalesce(max({column}), 0) + 1 FROM {table}), false)"""
ENDING: Sequence[str] = (
    "INSERT INTO workflow_revisions SELECT id, 0 FROM workflows ON CONFLICT DO NOTHING",
    _NEXT.format(table="registrations", column="place"),
    _NEXT.format(table="data_tables", column="number"),
    "DROP TABLE copy_notes",
)
"""The statements that follow the last row."""
