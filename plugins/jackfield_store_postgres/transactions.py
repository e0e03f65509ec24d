"""How transactions begin: with settings that end with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from jackfield.api.records import record
from jackfield_store_postgres.rows import Value
from jackfield_store_postgres.settings import PostgresSettings

Statement: TypeAlias = "tuple[str, Sequence[object]]"
_CONFIGURE = """SELECT set_config('search_path', %s, true), set_config('statement_timeout', %s, true),
    set_config('lock_timeout', %s, true), set_config('idle_in_transaction_session_timeout', %s, true),
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END"""
_MARK = "UPDATE writers SET batch = %s, seen_at = now() WHERE id = %s RETURNING batch"

_FENCE = "SELECT id FROM incarnations WHERE id = ANY(%s) AND alive FOR KEY SHARE"
"""This lock keeps nobody from renewing, and whoever declares an incarnation dead waits for it (`FOR UPDATE`)."""


@record
class Limits:
    """schema: of the tables; timeout: seconds that a statement may take."""

    schema: str
    timeout: float

    def values(self) -> list[Value]:
        """For statement, lock and pause. Whoever waits for a lock waits less long than for the whole."""
        whole = round(self.timeout * 1000)
        return [f'"{self.schema}"', str(whole), str(max(1, whole // 2)), str(whole)]

    def configure(self) -> Statement:
        """To be sent after `BEGIN`; what is acknowledged is on the disk, whatever the role's own setting is."""
        return _CONFIGURE, self.values()

    def read(self) -> str:
        """Begins a transaction that sees one moment and cannot write, in one message."""
        whole = round(self.timeout * 1000)
        return (
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
            f'SET LOCAL search_path TO "{self.schema}"; SET LOCAL statement_timeout = {whole}'
        )


def writing(settings: PostgresSettings) -> Limits:
    """A transaction that has begun gets twice the time: its outcome would be unknown otherwise."""
    return Limits(settings.schema_name, settings.timeout * 2)


def reading(settings: PostgresSettings) -> Limits:
    return Limits(settings.schema_name, settings.timeout)


def mark(writer: str, number: int) -> Statement:
    """Notes the batch of this number as the writer's last; the row stays locked until its transaction has ended."""
    return _MARK, (number, writer)


def fence(owners: Sequence[str]) -> Statement:
    """Finds which of these incarnations are alive. They stay so until the transaction has ended."""
    return _FENCE, (list(owners),)
