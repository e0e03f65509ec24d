"""Everything that a store keeps, as tables in a form that every store can read and write: what `jackfield store copy`
moves from one store to another.

A value is None or of its column's kind. Keys are unique and order the rows: texts by their UTF-8 bytes, None nowhere.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, cast

from .records import record

ColumnKind = Literal["text", "integer", "real", "boolean", "bytes"]
Cell: TypeAlias = "str | int | float | bool | bytes | None"
Row: TypeAlias = "Sequence[Cell]"
_BITS = 128
_KINDS: Mapping[str, ColumnKind] = {"i": "integer", "r": "real", "b": "boolean", "x": "bytes"}


@record
class StoreForm:
    """One table. columns: names and kinds, those of `key` among them."""

    name: str
    columns: Mapping[str, ColumnKind]
    key: Sequence[str]

    def key_of(self, row: Row) -> list[Cell]:
        """The values in the key's columns."""
        names = list(self.columns)
        return [row[names.index(name)] for name in self.key]


def _form(name: str, columns: str, *key: str) -> StoreForm:
    """columns: `name`, a text, or `name:kind` by a letter of `_KINDS`. key: by default the first column."""
    parts = [each.partition(":") for each in columns.split()]
    made: dict[str, ColumnKind] = {column: _KINDS.get(letter, "text") for column, _, letter in parts}
    return StoreForm(name, made, key or (parts[0][0],))


FORMS: Sequence[StoreForm] = (
    _form("facts", "name text"),
    _form(
        "users",
        "id username role password_hash version:i created_at:i provider subject display_name disabled:b",
    ),
    _form("api_keys", "id user_id name prefix digest scopes created_at:i expires_at:i last_used_at:i projects"),
    _form("revoked_tokens", "id expires_at:i"),
    _form("projects", "id name is_open:b created_at:i updated_at:i"),
    _form("project_members", "project_id user_id role", "project_id", "user_id"),
    _form("placements", "kind id project_id", "kind", "id"),
    _form("shares", "kind id project_id", "kind", "id", "project_id"),
    _form("project_revisions", "id:i number:i"),
    _form("folders", "depth:i id name folded_name parent_id created_at:i updated_at:i", "depth", "id"),
    _form(
        "workflows",
        "id name folded_name active:b version:i node_count:i created_at:i updated_at:i folder_id words",
    ),
    _form(
        "workflow_versions",
        "workflow_id version:i name created_at:i author document:x label sealed:b",
        "workflow_id", "version",
    ),
    _form("static_data", "workflow_id data:x"),
    _form("tags", "id name folded_name created_at:i updated_at:i"),
    _form("workflow_tags", "workflow_id tag_id", "workflow_id", "tag_id"),
    _form(
        "registrations",
        "place:i id workflow_id node_id node_name kind method path pattern authentication active:b created_at:i",
    ),
    _form("webhook_stats", "webhook_id total:i success:i failed:i rejected:i last_call:i"),
    _form(
        "calls",
        "body_places webhook_id id execution_id time:i method headers:x body query event status truncated:b "
        "response_status:i duration_ms:i response_truncated:b response_body",
        "webhook_id", "id",
    ),
    _form(
        "deliveries",
        "webhook_id key expires_at:i execution_id fingerprint status:i headers:x body:x",
        "webhook_id", "key",
    ),
    _form("incarnations", "id daemon"),
    _form(
        "executions",
        "id workflow_id workflow_version:i mode status created_at:i started_at:i finished_at:i resume_at:i error:x "
        "retry_of call_id webhook_id owner epoch:i input:x document:x sealed:b",
    ),
    _form("execution_steps", "execution_id number:i data:x", "execution_id", "number"),
    _form("cancel_wishes", "id"),
    _form("unsaved", "id forget_at:i"),
    _form("file_references", "execution_id file_id made_at:i", "execution_id", "file_id"),
    _form("released_files", "file_id released_at:i"),
    _form("ledgers", "id name as_of:i inside:b"),
    _form("ledger_days", "ledger_id day:i version:i data:x", "ledger_id", "day"),
    _form(
        "insights", "start:i workflow_id mode status number:i took_ms:i", "start", "workflow_id", "mode", "status",
    ),
    _form("entries", "kind id parent place:i revision:i data:x", "kind", "id"),
    _form(
        "audit_records", "number:i at:i act actor kind subject project outcome data:x hash:x mac:x",
    ),
    _form("audit_checkpoints", "number:i hash:x dropped:i at:i mac:x"),
    _form("drafts", "id workflow_id execution_id revision:i created_at:i updated_at:i about:x sealed:x"),
    _form("variables", "id key value created_at:i updated_at:i"),
    _form("credentials", "id name kind sealed:x created_at:i updated_at:i"),
    _form(
        "imported_ids",
        "source kind foreign_id own_id digest updated_at:i",
        "source", "kind", "foreign_id",
    ),
    _form(
        "data_tables",
        "number:i id name folded_name row_count:i size:i last_row:i last_field:i created_at:i updated_at:i",
    ),
    _form(
        "data_table_columns",
        "table_number:i id name type place:i field created_at:i updated_at:i",
        "table_number", "id",
    ),
)  # fmt: skip
"""In an order in which everything stands before what refers to it. Some columns say more than their names:

- `calls.body_places`: where `executions.input` has the body, see `jackfield.api.call_places`; empty: it is in `body`.

- `folders.depth`: of folders above; `registrations.place`: the order in which they were made.

- `sealed`: whether the secrets of a document are sealed.

- `incarnations`: lives of daemons that own open executions; none of them is alive. `executions.owner`: of an open one.

- `data_tables.number`: names the table of its rows, see `rows_form`; `data_table_columns.field`: names a column there.
"""
_CELLS: Mapping[str, ColumnKind] = {"string": "text", "number": "real", "boolean": "boolean", "date": "integer"}
ROWS = "data_rows_"


def rows_form(number: int, fields: Iterable[tuple[str, str]]) -> StoreForm:
    """The table of a data table's rows. fields: the name and the type of each, as `data_table_columns` has them."""
    columns: dict[str, ColumnKind] = dict.fromkeys(("id", "created_at", "updated_at", "size"), "integer")
    columns |= {field: _CELLS[kind] for field, kind in fields}
    return StoreForm(f"{ROWS}{number}", columns, ("id",))


@record
class Checksum:
    """Of rows in any order. total: the sum of their digests (BLAKE2b of 128 bits), modulo 2**128."""

    rows: int = 0
    total: int = 0

    def and_of(self, rows: Iterable[Row]) -> Checksum:
        """With some rows more."""
        count, total = self.rows, self.total
        for row in rows:
            count += 1
            total += _digest(row)
        return Checksum(count, total % (1 << _BITS))

    @property
    def text(self) -> str:
        return f"{self.total:0{_BITS // 4}x}"


def _digest(row: Row) -> int:
    """The same for equal rows, whichever store they come from: a number that is none is nothing, and zero has no
    sign."""
    marks: list[str] = []
    parts: list[bytes] = []
    for value in row:
        if isinstance(value, str):
            parts.append(value.encode("utf-8", "replace"))
            marks.append(f"s{len(parts[-1])}")
        elif isinstance(value, bytes):
            parts.append(value)
            marks.append(f"x{len(value)}")
        elif isinstance(value, float):
            marks.append("n" if math.isnan(value) else f"r{value + 0.0!r}")
        else:
            marks.append("n" if value is None else f"b{value:d}" if isinstance(value, bool) else f"i{value}")
    digest = hashlib.blake2b(",".join(marks).encode(), digest_size=_BITS // 8)
    for part in parts:
        digest.update(part)
    return int.from_bytes(digest.digest())


def size_of(row: Row) -> int:
    """Bytes that a row takes in memory, about."""
    return 64 + sum(len(value) if isinstance(value, str | bytes) else 8 for value in row)


def forms_of_rows(tables: Iterable[Row], columns: Iterable[Row]) -> list[StoreForm]:
    """Those of the data tables in rows of `data_tables` and `data_table_columns`."""
    fields: dict[int, list[tuple[str, str]]] = {cast("int", row[0]): [] for row in tables}
    for row in columns:
        fields[cast("int", row[0])].append((cast("str", row[5]), cast("str", row[3])))
    return [rows_form(number, sorted(given)) for number, given in sorted(fields.items())]
