"""The findings of `jackfield doctor` about the server."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.diagnosis import Finding
from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.store import PostgresStore

_NAMES = ("fsync", "full_page_writes", "autovacuum", "data_checksums")
_SETTINGS = "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)"
_WRONG = {
    "fsync": "The server runs with fsync = off: what was answered may be lost with the power. To do: switch it on.",
    "full_page_writes": "The server runs with full_page_writes = off: a loss of power may damage pages. To do: switch "
    "it on, unless its file system writes pages whole.",
    "autovacuum": "The server runs with autovacuum = off: the tables grow, and plans get bad. To do: switch it on.",
}


async def findings(store: PostgresStore) -> Sequence[Finding]:
    """Settings of the server by which answered calls may be lost, or the store gets slow."""
    found = await store.database.read(_read)
    wrong = [Finding("postgres", False, text) for name, text in _WRONG.items() if found.get(name) == "off"]
    if wrong:
        return wrong
    checks = "with" if found.get("data_checksums") == "on" else "without"
    return [Finding("postgres", True, f"{found['version']}, {checks} checksums of pages")]


def _read(connection: Connection) -> dict[str, str]:
    """Settings by name, and the server's version."""
    found: dict[str, str] = dict(execute(connection, _SETTINGS, [list(_NAMES)]).fetchall())
    version = connection.info.server_version
    return {**found, "version": f"PostgreSQL {version // 10_000}.{version % 10_000}"}
