"""`/api/v1/workflows/{id}/chat/{path}`: the editor's chat, for known callers at whatever address the daemon listens."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, ExecutionTimeout
from jackfield.api.http import deferred_view, operation

CREDENTIALS = "X-Chat-Authorization"
"""As `Authorization: Basic`, which names the caller of the API itself."""
_SCHEMAS = "jackfield_ai.chat.schemas"
SEND = operation(
    "Run a saved workflow as a test with a message to its Chat Trigger",
    operation_id="sendWorkflowChatMessage",
    scope="workflows:execute",
    request=f"{_SCHEMAS}:ChatMessage",
    response=f"{_SCHEMAS}:ChatAnswer",
    tags=("workflows",),
    errors=(Conflict, ExecutionTimeout),
    reads={CREDENTIALS: "Basic, with the name and password of a chat that asks for them."},
)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("workflow_chats", __name__, url_prefix="/api/v1/workflows")
    made.post("/<workflow_id>/chat/<path>", endpoint="send")(
        deferred_view("jackfield_ai.chat.editor:send", context, SEND)
    )
    return [made]
