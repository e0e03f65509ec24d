"""Postgres Chat Memory: a table with a row for each message, as n8n makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import MEMORY, Memory, Message
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, DatabaseRefusal, SqlConnection
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.records import replace
from jackfield_ai.databases import databases, quoted_table
from jackfield_ai.memory.parameters import TABLE, PostgresMemoryParameters
from jackfield_ai.memory.sessions import scoped_key
from jackfield_ai.memory.stored_messages import kept, message_of, spoken, stored_data, stored_type
from jackfield_ai.nodes import ServingNode

_NO_TABLE = "42P01"
_MADE_MEANWHILE = frozenset({"23505", "42P07", "42710"})
"""Of two that make a table at the same time one gets one of these errors."""
_LONGEST = 255
_WINDOW_SINCE, _SCOPED_SINCE = 1.1, 1.4


class PostgresMemory:
    """`Memory` and `EditableMemory` of one session. place: the table, quoted, and the key; limit: messages that a model
    gets; most: that are seen."""

    def __init__(
        self,
        connections: DatabaseConnections,
        values: Mapping[str, str],
        place: tuple[str, str],
        limit: int,
        most: int,
    ) -> None:
        self._connections = connections
        self._values = values
        self._table, self._key = place
        self._limit = limit
        self._most = most

    async def read(self) -> Sequence[Message]:
        return spoken(await self._last(self._limit))

    async def history(self) -> Sequence[Message]:
        return await self._last(self._most)

    async def _last(self, count: int) -> list[Message]:
        async with self._connections.postgres(self._values) as database:
            try:
                rows = await database.query(
                    f"SELECT message FROM {self._table} WHERE session_id = %s ORDER BY id DESC LIMIT %s",  # noqa: S608 - quoted
                    [self._key, count],
                )
            except DatabaseRefusal as exc:
                if exc.code != _NO_TABLE:
                    raise
                return []
        found = [_message(row[0]) for row in reversed(rows)]
        return [message for message in found if message is not None]

    async def add(self, messages: Sequence[Message]) -> None:
        await self._write("", messages)

    async def replace(self, messages: Sequence[Message]) -> None:
        """In one statement, so that nobody sees less."""
        before = f"WITH gone AS (DELETE FROM {self._table} WHERE session_id = %s) "  # noqa: S608 - quoted
        if kept(messages):
            await self._write(before, messages)
            return
        async with self._connections.postgres(self._values) as database:
            try:
                await database.query(f"{before}SELECT 1", [self._key])
            except DatabaseRefusal as exc:
                if exc.code != _NO_TABLE:
                    raise

    async def _write(self, before: str, messages: Sequence[Message]) -> None:
        """before: a part of the statement in front, which takes the session's key."""
        rows = [_row(message) for message in kept(messages)]
        if not rows:
            return
        async with self._connections.postgres(self._values) as database:
            places = ", ".join(["(%s, %s::jsonb)"] * len(rows))
            statement = f"{before}INSERT INTO {self._table} (session_id, message) VALUES {places}"  # noqa: S608 - quoted
            values = [value for row in rows for value in (self._key, dumps(row).decode())]
            values = [self._key, *values] if before else values
            try:
                await database.query(statement, values)
            except DatabaseRefusal as exc:
                if exc.code != _NO_TABLE:
                    raise
                await self._make(database)
                await database.query(statement, values)

    async def _make(self, database: SqlConnection) -> None:
        try:
            await database.query(
                f"CREATE TABLE IF NOT EXISTS {self._table} "
                "(id SERIAL PRIMARY KEY, session_id VARCHAR(255) NOT NULL, message JSONB NOT NULL)"
            )
        except DatabaseRefusal as exc:
            if exc.code not in _MADE_MEANWHILE:
                raise


def _row(message: Message) -> dict[str, Json]:
    """jsonb holds no NUL."""
    plain = replace(message, text=message.text.replace("\0", ""))
    return {**stored_data(plain), "type": stored_type(plain)}


def _message(row: object) -> Message | None:
    return message_of(row.get("type"), row) if isinstance(row, Mapping) else None


class PostgresMemoryNode(ServingNode):
    kind = "langchain.memoryPostgresChat"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4)
    model = PostgresMemoryParameters
    effect = True
    description = NodeDescription(
        "Postgres Chat Memory",
        "Keeps the messages of each session in a table of PostgreSQL.",
        "ai",
        inputs=0,
        provides=MEMORY,
        credentials=(NodeCredential("postgres"),),
        missing=lacking_library("psycopg", "postgres"),
    )

    async def supply(self, node: AttachedNode, item: int) -> Memory:
        parameters: PostgresMemoryParameters = await node.parameters(item)
        key = scoped_key(node, parameters.session_id_type, parameters.session_key, item, _SCOPED_SINCE)
        if len(key) > _LONGEST:
            raise NodeError(f"The session's key has more than {_LONGEST} characters; give a shorter sessionKey.")
        limit = 2 * parameters.context_window_length
        if node.node.version is None or node.node.version < _WINDOW_SINCE:
            limit = self.settings.memory_messages
        table = quoted_table(parameters.table_name or TABLE, "tableName")
        values = await node.credential("postgres")
        most = self.settings.memory_messages
        return PostgresMemory(databases(self._context), values, (table, key), min(limit, most), most)


def postgres_memory(context: PluginContext, kind: str) -> PostgresMemoryNode:
    return PostgresMemoryNode(context)
