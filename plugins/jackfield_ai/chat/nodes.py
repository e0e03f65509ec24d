"""The node types chatTrigger and manualChatTrigger: where a workflow starts that a chat message runs."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, JsonValue

from jackfield.api.ai import MEMORY
from jackfield.api.context import PluginContext
from jackfield.api.nodes import (
    NodeCredential,
    NodeDescription,
    NodeParameters,
    NoParameters,
    Parameters,
)
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.form import CHAT
from jackfield_ai.shapes import CHAT_TRIGGER_SHAPES


class ChatParameters(Parameters):
    ui_fields: ClassVar[UiFields] = CHAT

    public: bool = Field(False, description="Whether /chat/{webhookId} is served; /chat-test is served in any case.")
    mode: str = Field("hostedChat", description="hostedChat: with a page; webhook: without.")
    authentication: str = Field("none", description="none or basicAuth (a credential httpBasicAuth).")
    initial_messages: str = Field("", description="Lines that the page shows first.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="responseMode (lastNode, responseNode, streaming), allowedOrigins, title, subtitle, "
        "inputPlaceholder.",
    )


def _trigger(kind: str, title: str, summary: str, model: type[NodeParameters]) -> PassingNode:
    description = NodeDescription(
        title,
        summary,
        "trigger",
        inputs=0,
        trigger=True,
        help="ai#chats",
        accepts=(MEMORY,),
        shapes=CHAT_TRIGGER_SHAPES,
        credentials=(NodeCredential("httpBasicAuth", when={"authentication": ("basicAuth",)}),),
    )
    return PassingNode(kind, (1, 1.1, 1.2, 1.3, 1.4), description, model)


def chat_trigger(context: PluginContext, kind: str) -> PassingNode:
    return _trigger(kind, "Chat Trigger", "Starts when a chat message comes.", ChatParameters)


def manual_chat_trigger(context: PluginContext, kind: str) -> PassingNode:
    return _trigger(kind, "Manual Chat Trigger", "Starts a run by hand with a message.", NoParameters)
