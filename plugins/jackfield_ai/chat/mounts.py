"""What the plugin mounts beside Quart: `/chat` and `/chat-test`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext

LIVE, TEST = "chat", "chat-test"


def _build(context: PluginContext) -> AsgiApp:
    from jackfield_ai.chat.app import build

    return build(context)  # type: ignore[return-value]  # Quart types scopes and messages by itself


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Both are public: a chat checks its own callers."""
    app = LaterApp(partial(_build, context))
    return [AsgiMount(segment, app, "public") for segment in (LIVE, TEST)]
