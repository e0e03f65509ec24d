"""What the plugin mounts beside Quart: `/chat` and `/chat-test`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.context import PluginContext

if TYPE_CHECKING:
    from quart import Quart

LIVE, TEST = "chat", "chat-test"


class _Mounted:
    """One application for both, built when the first message comes."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._app: Quart | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await _refuse(receive, send)
            return
        if self._app is None:
            from jackfield_ai.chat.app import build

            self._app = build(self._context)
        await self._app(scope, receive, send)  # type: ignore[arg-type]  # an ASGI scope, which Quart types itself


async def _refuse(receive: Receive, send: Send) -> None:
    """Chats are no WebSockets."""
    message = await receive()
    if message["type"] == "websocket.connect":
        await send({"type": "websocket.close", "code": 1008})


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Both are public: a chat checks its own callers."""
    app = _Mounted(context)
    return [AsgiMount(segment, app, "public") for segment in (LIVE, TEST)]
