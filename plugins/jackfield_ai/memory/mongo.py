"""MongoDB Chat Memory: a document for each session, as n8n makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import MEMORY, Memory, Message
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, MongoConnection
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError
from jackfield.api.nodes.libraries import lacking_library
from jackfield_ai.databases import databases, member
from jackfield_ai.memory.parameters import TABLE, MongoMemoryParameters
from jackfield_ai.memory.sessions import scoped_key
from jackfield_ai.memory.stored_messages import kept, message_of, spoken, stored_data, stored_type
from jackfield_ai.nodes import ServingNode

_SCOPED_SINCE = 1.1


class MongoMemory:
    """`Memory` and `EditableMemory` of one session. limits: messages that a model gets, and that are seen."""

    def __init__(
        self,
        connections: DatabaseConnections,
        values: Mapping[str, str],
        place: tuple[str, str],
        key: str,
        limits: tuple[int, int],
    ) -> None:
        """place: database, empty for the credential's, and collection."""
        self._connections = connections
        self._values = values
        self._database, self._collection = place
        self._key = key
        self._limit, self._most = limits

    async def read(self) -> Sequence[Message]:
        return spoken((await self._kept())[-self._limit :])

    async def history(self) -> Sequence[Message]:
        return (await self._kept())[-self._most :]

    async def _kept(self) -> list[Message]:
        command = {
            "find": self._collection,
            "filter": {"sessionId": self._key},
            "projection": {"messages": 1},
            "limit": 1,
        }
        async with self._connections.mongo(self._values) as database:
            answer = await database.command(self._name(database), command)
        rows = member(answer, "cursor", "firstBatch")
        found = member(rows[0], "messages") if isinstance(rows, list) and rows else None
        made = [_message(row) for row in found] if isinstance(found, list) else []
        return [message for message in made if message is not None]

    async def add(self, messages: Sequence[Message]) -> None:
        if rows := _rows(messages):
            await self._update({"$push": {"messages": {"$each": rows}}})

    async def replace(self, messages: Sequence[Message]) -> None:
        await self._update({"$set": {"messages": _rows(messages)}})

    async def _update(self, change: Mapping[str, object]) -> None:
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


def _rows(messages: Sequence[Message]) -> list[dict[str, object]]:
    return [{"type": stored_type(one), "data": stored_data(one)} for one in kept(messages)]


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
        missing=lacking_library("pymongo", "mongodb"),
    )

    async def supply(self, node: AttachedNode, item: int) -> Memory:
        parameters: MongoMemoryParameters = await node.parameters(item)
        key = scoped_key(node, parameters.session_id_type, parameters.session_key, item, _SCOPED_SINCE)
        most = self.settings.memory_messages
        limits = (min(2 * parameters.context_window_length, most), most)
        place = (parameters.database_name.strip(), parameters.collection_name or TABLE)
        return MongoMemory(databases(self._context), await node.credential("mongoDb"), place, key, limits)


def mongo_memory(context: PluginContext, kind: str) -> MongoMemoryNode:
    return MongoMemoryNode(context)
