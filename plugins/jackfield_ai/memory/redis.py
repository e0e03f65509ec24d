"""Redis Chat Memory: a list for each session, its last message first, as n8n makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import MEMORY, Memory, Message
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, RedisConnection
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import dumps, loads
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, NodeParameters
from jackfield.api.nodes.libraries import lacking_library
from jackfield_ai.databases import databases
from jackfield_ai.memory.parameters import OldRedisMemoryParameters, RedisMemoryParameters
from jackfield_ai.memory.sessions import chosen_key, scoped_key
from jackfield_ai.memory.stored_messages import kept, message_of, spoken, stored_data, stored_type
from jackfield_ai.nodes import ServingNode

_CHOICE_SINCE, _WINDOW_SINCE, _USER_SINCE, _SCOPED_SINCE = 1.2, 1.3, 1.5, 1.6


class RedisMemory:
    """`Memory` and `EditableMemory` of one session. limits: messages that a model gets, and that are seen; ttl:
    seconds, 0: it stays."""

    def __init__(
        self, connections: DatabaseConnections, values: Mapping[str, str], key: str, limits: tuple[int, int], ttl: int
    ) -> None:
        self._connections = connections
        self._values = values
        self._key = key
        self._limit, self._most = limits
        self._ttl = ttl

    async def read(self) -> Sequence[Message]:
        return spoken(await self._last(self._limit))

    async def history(self) -> Sequence[Message]:
        return await self._last(self._most)

    async def _last(self, count: int) -> list[Message]:
        async with self._connections.redis(self._values) as database:
            rows = await database.command("LRANGE", self._key, 0, count - 1)
        found = [_message(row) for row in reversed(rows)] if isinstance(rows, list) else []
        return [message for message in found if message is not None]

    async def add(self, messages: Sequence[Message]) -> None:
        async with self._connections.redis(self._values) as database:
            await self._push(database, messages)

    async def replace(self, messages: Sequence[Message]) -> None:
        """In one transaction, so that nothing is lost in between."""
        async with self._connections.redis(self._values) as database:
            await database.command("MULTI")
            await database.command("DEL", self._key)
            await self._push(database, messages)
            await database.command("EXEC")

    async def _push(self, database: RedisConnection, messages: Sequence[Message]) -> None:
        rows = [dumps({"type": stored_type(one), "data": stored_data(one)}) for one in kept(messages)]
        if not rows:
            return
        await database.command("LPUSH", self._key, *rows)
        if self._ttl:
            await database.command("EXPIRE", self._key, self._ttl)


def _message(row: object) -> Message | None:
    try:
        found = loads(row) if isinstance(row, str) else None
    except InvalidInput:
        return None
    return message_of(found.get("type"), found.get("data")) if isinstance(found, dict) else None


class RedisMemoryNode(ServingNode):
    kind = "langchain.memoryRedisChat"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6)
    effect = True
    description = NodeDescription(
        "Redis Chat Memory",
        "Keeps the messages of each session in a list of Redis.",
        "ai",
        inputs=0,
        provides=MEMORY,
        credentials=(NodeCredential("redis"),),
        missing=lacking_library("redis", "redis"),
    )

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return RedisMemoryParameters if (version or 1) >= _CHOICE_SINCE else OldRedisMemoryParameters

    async def supply(self, node: AttachedNode, item: int) -> Memory:
        parameters: RedisMemoryParameters | OldRedisMemoryParameters = await node.parameters(item)
        version = node.node.version or 1
        values = dict(await node.credential("redis"))
        if version < _USER_SINCE:
            values.pop("user", None)
        if isinstance(parameters, RedisMemoryParameters):
            key = scoped_key(node, parameters.session_id_type, parameters.session_key, item, _SCOPED_SINCE)
        else:
            key = _old_key(node, parameters, item, version)
        limit = self.settings.memory_messages
        if isinstance(parameters, RedisMemoryParameters) and version >= _WINDOW_SINCE:
            limit = min(limit, 2 * parameters.context_window_length)
        limits = (limit, self.settings.memory_messages)
        return RedisMemory(databases(self._context), values, key, limits, parameters.session_ttl)


def _old_key(node: AttachedNode, parameters: OldRedisMemoryParameters, item: int, version: float) -> str:
    """Raises `NodeError`."""
    if parameters.session_key:
        return parameters.session_key
    if "sessionKey" in node.node.parameters:
        raise NodeError(f"The node '{node.node.name}' has no session key; fill in sessionKey.")
    return chosen_key(node, "fromInput", "", item) if version > 1 else "chat_history"


def redis_memory(context: PluginContext, kind: str) -> RedisMemoryNode:
    return RedisMemoryNode(context)
