"""The node types chatTrigger and manualChatTrigger: where a workflow starts that a chat message runs."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, JsonValue

from jackfield.api.ai import MEMORY
from jackfield.api.context import PluginContext
from jackfield.api.nodes import (
    NodeCredential,
    NodeDescription,
    NodeParameters,
    NodeResult,
    NodeRun,
    NoParameters,
    Parameters,
)
from jackfield.api.workflows import Node


class ChatParameters(Parameters):
    public: bool = Field(False, description="Whether /chat/{webhookId} is served; /chat-test is served in any case.")
    mode: str = Field("hostedChat", description="hostedChat: with a page; webhook: without.")
    authentication: str = Field("none", description="none or basicAuth (a credential httpBasicAuth).")
    initial_messages: str = Field("", description="Lines that the page shows first.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict,
        description="responseMode (lastNode, responseNode), allowedOrigins, title, subtitle, inputPlaceholder.",
    )


class ChatTriggerNode:
    effect = False
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4)

    def __init__(self, kind: str, title: str, summary: str, model: type[NodeParameters]) -> None:
        self.kind = kind
        self._model = model
        self.description = NodeDescription(
            title,
            summary,
            "trigger",
            inputs=0,
            trigger=True,
            accepts=(MEMORY,),
            credentials=(NodeCredential("httpBasicAuth", when={"authentication": ("basicAuth",)}),),
        )

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._model

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        return [run.items]


def chat_trigger(context: PluginContext, kind: str) -> ChatTriggerNode:
    return ChatTriggerNode(kind, "Chat Trigger", "Starts when a chat message comes.", ChatParameters)


def manual_chat_trigger(context: PluginContext, kind: str) -> ChatTriggerNode:
    return ChatTriggerNode(kind, "Manual Chat Trigger", "Starts a run by hand with a message.", NoParameters)
