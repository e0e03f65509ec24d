"""Simple Memory: the last messages of each session, in the workflow's static data, so that they outlast a restart."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import ClassVar

from jackfield.api.ai import MEMORY, Memory, Message
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import AttachedNode, NodeDescription
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.form import WINDOW
from jackfield_ai.memory.parameters import SessionParameters
from jackfield_ai.memory.sessions import chosen_key
from jackfield_ai.memory.stored_messages import spoken
from jackfield_ai.nodes import ServingNode
from jackfield_ai.settings import AiSettings

SESSIONS = "sessions"
_CHOICE_SINCE = 1.2
_MAX_KEY = 500


class WindowParameters(SessionParameters):
    ui_fields: ClassVar[UiFields] = WINDOW


class WindowMemory:
    """`Memory` and `EditableMemory` of one session."""

    def __init__(self, node: AttachedNode, key: str, pairs: int, settings: AiSettings) -> None:
        self._node = node
        self._key = key
        self._window = 2 * pairs
        self._settings = settings

    async def read(self) -> Sequence[Message]:
        return spoken(await self.history())[-self._window :]

    async def history(self) -> Sequence[Message]:
        sessions = _sessions(await self._node.static_data("node"))
        rows = sessions.get(self._key)
        found = [_message(row) for row in rows] if isinstance(rows, list) else []
        return [message for message in found if message is not None]

    async def add(self, messages: Sequence[Message]) -> None:
        memory = await self._node.static_data("node")
        before = _sessions(memory).get(self._key)
        self._keep(memory, list(before) if isinstance(before, list) else [], messages)

    async def replace(self, messages: Sequence[Message]) -> None:
        self._keep(await self._node.static_data("node"), [], messages)

    def _keep(self, memory: MutableMapping[str, Json], rows: list[Json], messages: Sequence[Message]) -> None:
        sessions = {name: kept for name, kept in _sessions(memory).items() if name != self._key}
        rows += [[message.role, message.text] for message in messages]
        # Last in the object: the session that was used last.
        sessions[self._key] = rows[-min(self._settings.memory_messages, max(self._window, 2)) :]
        memory[SESSIONS] = _bounded(sessions, self._key, self._settings.memory_bytes)


def _sessions(memory: object) -> dict[str, Json]:
    found = memory.get(SESSIONS) if hasattr(memory, "get") else None
    return found if isinstance(found, dict) else {}


def _message(row: Json) -> Message | None:
    match row:
        case ["user", str(text)]:
            return Message("user", text)
        case ["assistant", str(text)]:
            return Message("assistant", text)
        case ["system", str(text)]:
            return Message("system", text)
    return None


def _bounded(sessions: dict[str, Json], key: str, limit: int) -> dict[str, Json]:
    """Forgets other sessions first, then the oldest messages of this one."""
    sizes = {name: len(dumps({name: rows})) for name, rows in sessions.items()}
    total = sum(sizes.values())
    for name in list(sessions):
        if total <= limit or name == key:
            break
        total -= sizes[name]
        del sessions[name]
    rows = sessions[key]
    while total > limit and isinstance(rows, list) and rows:
        total -= len(dumps(rows.pop(0))) + 1
    return sessions


class WindowNode(ServingNode):
    kind = "langchain.memoryBufferWindow"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4)
    model = WindowParameters
    description = NodeDescription(
        "Simple Memory", "Remembers the last messages of each session.", "ai", inputs=0, provides=MEMORY
    )

    async def supply(self, node: AttachedNode, item: int) -> Memory:
        parameters: WindowParameters = await node.parameters(item)
        key = session_key(node, parameters, item)
        return WindowMemory(node, key[:_MAX_KEY], parameters.context_window_length, self.settings)


def session_key(node: AttachedNode, parameters: WindowParameters, item: int) -> str:
    """Raises `NodeError` when there is none."""
    version = node.node.version
    if version is not None and version < _CHOICE_SINCE:
        return parameters.session_key or "chat_history"
    return chosen_key(node, parameters.session_id_type, parameters.session_key, item)


def window(context: PluginContext, kind: str) -> WindowNode:
    return WindowNode(context)
