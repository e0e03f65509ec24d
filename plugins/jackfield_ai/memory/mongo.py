"""MongoDB Chat Memory: a document for each session, as n8n makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import MEMORY, Memory, Message
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, MongoConnection
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError
from jackfield_ai.databases import databases, member
from jackfield_ai.memory.parameters import TABLE, MongoMemoryParameters
from jackfield_ai.memory.sessions import scoped_key
from jackfield_ai.memory.stored_messages import message_of, spoken, stored_data, stored_type
from jackfield_ai.nodes import ServingNode

_SCOPED_SINCE = 1.1


class MongoMemory:
    """`Memory` of one session. limit: messages that are read; database: empty: the credential's."""

    def __init__(
        self,
        connections: DatabaseConnections,
        values: Mapping[str, str],
        place: tuple[str, str],
        key: str,
        limit: int,
    ) -> None:
        """place: database and collection."""
        self._connections = connections
        self._values = values
        self._database, self._collection = place
        self._key = key
        self._limit = limit

    async def read(self) -> Sequence[Message]:
        command = {
            "find": self._collection,
            "filter": {"sessionId": self._key},
            "projection": {"messages": 1},
            "limit": 1,
        }
        async with self._connections.mongo(self._values) as database:
            answer = await database.command(self._name(database), command)
        rows = member(answer, "cursor", "firstBatch")
        kept = member(rows[0], "messages") if isinstance(rows, list) and rows else None
        found = [_message(row) for row in kept[-self._limit :]] if isinstance(kept, list) else []
        return [message for message in found if message is not None]

    async def add(self, messages: Sequence[Message]) -> None:
        rows = [{"type": stored_type(one), "data": stored_data(one)} for one in spoken(messages)]
        if not rows:
            return
        change = {"$push": {"messages": {"$each": rows}}}
        command = {
            "update": self._collection,
            "updates": [{"q": {"sessionId": self._key}, "u": change, "upsert": True}],
        }
        async with self._connections.mongo(self._values) as database:
            answer = await database.command(self._name(database), command)
        failed = answer.get("writeErrors")
        if isinstance(failed, list) and failed:
            raise NodeError(f"MongoDB did not keep the messages: {str(member(failed[0], 'errmsg'))[:500]}")

    def _name(self, database: MongoConnection) -> str:
        """Raises `NodeError`."""
        found = self._database or database.database
        if not found:
            raise NodeError("Neither the credential nor the parameter databaseName names a database; fill in one.")
        return found


def _message(row: object) -> Message | None:
    return message_of(member(row, "type"), member(row, "data"))


class MongoMemoryNode(ServingNode):
    kind = "langchain.memoryMongoDbChat"
    versions: Sequence[float] = (1, 1.1)
    model = MongoMemoryParameters
    effect = True
    description = NodeDescription(
        "MongoDB Chat Memory",
        "Keeps the messages of each session in a document of MongoDB.",
        "ai",
        inputs=0,
        provides=MEMORY,
        credentials=(NodeCredential("mongoDb"),),
    )

    async def supply(self, node: AttachedNode, item: int) -> Memory:
        parameters: MongoMemoryParameters = await node.parameters(item)
        key = scoped_key(node, parameters.session_id_type, parameters.session_key, item, _SCOPED_SINCE)
        limit = min(2 * parameters.context_window_length, self.settings.memory_messages)
        place = (parameters.database_name.strip(), parameters.collection_name or TABLE)
        return MongoMemory(databases(self._context), await node.credential("mongoDb"), place, key, limit)


def mongo_memory(context: PluginContext, kind: str) -> MongoMemoryNode:
    return MongoMemoryNode(context)
