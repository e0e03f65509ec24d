"""Messages as LangChain's memories keep them, so that n8n reads what we write and the other way round. Source:
LangChain.js, `mapChatMessagesToStoredMessages` and `mapStoredMessagesToChatMessages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import Message
from jackfield.api.jsontext import Json

_ROLES: Mapping[str, str] = {"user": "human", "assistant": "ai", "system": "system"}


def stored_data(message: Message) -> dict[str, Json]:
    """The member `data` of a stored message."""
    plain: dict[str, Json] = {"content": message.text, "additional_kwargs": {}, "response_metadata": {}}
    if message.role == "assistant":
        plain |= {"tool_calls": [], "invalid_tool_calls": []}
    return plain


def stored_type(message: Message) -> str:
    return _ROLES[message.role]


def kept(messages: Sequence[Message]) -> list[Message]:
    """Those that memories keep: of user, assistant and system."""
    return [message for message in messages if message.role in _ROLES]


def spoken(messages: Sequence[Message]) -> list[Message]:
    """Those of user and assistant, which a model gets."""
    return [message for message in messages if message.role in ("user", "assistant")]


def message_of(kind: object, data: object) -> Message | None:
    """A message of user, assistant or system; None for any other, and for a call of tools without a word."""
    text = _text(data.get("content")) if isinstance(data, Mapping) else ""
    if not text:
        return None
    match kind:
        case "human":
            return Message("user", text)
        case "ai":
            return Message("assistant", text)
        case "system":
            return Message("system", text)
    return None


def _text(content: object) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
