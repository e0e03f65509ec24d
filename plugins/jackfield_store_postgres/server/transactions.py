"""How transactions begin, and the limits that hold in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from psycopg.pq import TransactionStatus

from jackfield.api.records import record
from jackfield_store_postgres.columns import TextColumn
from jackfield_store_postgres.server.connections import Connection, Connector, answered, is_direct
from jackfield_store_postgres.settings import PostgresSettings

Statement: TypeAlias = "tuple[str, Sequence[object]]"
_BEGIN: Statement = ("BEGIN", ())
_CONFIGURE = """SELECT set_config('search_path', %s, local), set_config('statement_timeout', %s, local),
    set_config('lock_timeout', %s, local), set_config('idle_in_transaction_session_timeout', %s, local),
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', local) END
    FROM (SELECT %s::boolean AS local) AS given"""
"""An acknowledged change is on the disk, whatever the role's own setting is."""
_BEGIN_READING = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN_APART = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
COMMIT: Statement = ("COMMIT", ())
_MARK = """UPDATE writers SET batch = %s, seen_at = now() WHERE id = %s
    RETURNING ARRAY(SELECT id FROM incarnations WHERE id = ANY(%b) AND alive FOR KEY SHARE)"""
"""The lock keeps nobody from renewing, and whoever declares an incarnation dead waits for it (`FOR UPDATE`)."""


@record
class Limits:
    """schema: of the tables; timeout: seconds that a statement may take."""

    schema: str
    timeout: float

    def connect(self, connector: Connector) -> Connection:
        """A connection on which these limits hold.

        One that goes through a pooler has no settings: there each transaction begins with them. Raises psycopg.Error.
        """
        connection = connector.connect()
        if is_direct(connection):
            with answered(connection, self.timeout):
                connection.execute(_CONFIGURE, self._values(local=False))
        return connection

    def begin(self, connection: Connection) -> list[Statement]:
        """A transaction that writes."""
        return [_BEGIN] if is_direct(connection) else [_BEGIN, (_CONFIGURE, self._values(local=True))]

    def begin_reading(self, connection: Connection) -> None:
        """Begin a transaction that sees one moment and cannot write. Raises psycopg.Error."""
        connection.execute(_BEGIN_READING, prepare=False)
        if not is_direct(connection):
            connection.execute(_CONFIGURE, self._values(local=True))

    def begin_asking(self, connection: Connection) -> None:
        """Before a single statement that reads: it is a transaction by itself, which takes one round trip instead of
        three. Raises psycopg.Error."""
        if not is_direct(connection):
            self.begin_reading(connection)

    def begin_claim(self, connection: Connection) -> list[Statement]:
        """A small transaction that writes beside the writer, after what was asked. Its end waits for the disk: whoever
        has a claim may have an effect before it writes again."""
        asked: list[Statement] = [] if connection.info.transaction_status == TransactionStatus.IDLE else [COMMIT]
        local: list[Statement] = [] if is_direct(connection) else [(_CONFIGURE, self._values(local=True))]
        return [*asked, (_BEGIN_APART, ()), *local]

    def begin_apart(self, connection: Connection) -> None:
        """Begin a small transaction that writes beside the writer. Raises psycopg.Error."""
        connection.execute(_BEGIN_APART, prepare=False)
        if not is_direct(connection):
            connection.execute(_CONFIGURE, self._values(local=True))

    def _values(self, *, local: bool) -> list[object]:
        """For path, statement, lock and pause. A statement waits less long for a lock than for the whole."""
        whole = round(self.timeout * 1000)
        return [f'"{self.schema}"', str(whole), str(max(1, whole // 2)), str(whole), local]


def writing(settings: PostgresSettings) -> Limits:
    """A transaction that has begun gets twice the time: its outcome would be unknown otherwise."""
    return Limits(settings.schema_name, settings.timeout * 2)


def reading(settings: PostgresSettings) -> Limits:
    return Limits(settings.schema_name, settings.timeout)


def mark(writer: str, number: int, owners: Sequence[str]) -> Statement:
    """Notes the batch of this number as the writer's last; the row stays locked until its transaction has ended. Gives
    those of the incarnations that are alive, and keeps them so."""
    return _MARK, (number, writer, TextColumn(owners))
