"""The bodies that the editor's chat reads and answers."""

from __future__ import annotations

from pydantic import ConfigDict, Field, JsonValue, RootModel

from jackfield.api.schemas import Schema


class ChatMessage(Schema):
    """The item that the workflow starts with; further members are part of it."""

    model_config = ConfigDict(extra="allow")

    chat_input: str = Field(alias="chatInput", description="The message.")
    session_id: str = Field(
        "", alias="sessionId", description="By which a memory knows the conversation; at most 200 characters."
    )
    action: str = Field("sendMessage", description="sendMessage is the only one.")


class ChatAnswer(RootModel[JsonValue]):
    """The last node's item, or the answer of a Respond to Webhook node in the form that it chooses. With
    `options.responseMode: streaming` chunks, one per line, each an object with `type` and `content`."""
