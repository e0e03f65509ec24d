"""A daemon's answer for a role that it does not have."""

from __future__ import annotations

from jackfield.api.asgi import Message, Receive, Scope, Send, error_body
from jackfield.api.hosts import RoleMissing


class RefusingApp:
    """In place of an application that needs a role. It reads no body."""

    def __init__(self, role: str) -> None:
        self._message = (
            f"This daemon does not serve that: daemon.roles lacks {role}. Ask one that has this role, or add it here."
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = RoleMissing(self._message)
        head: Message = {
            "type": "http.response.start",
            "status": error.status,
            "headers": [(b"content-type", b"application/json"), (b"retry-after", b"1")],
        }
        body: Message = {"type": "http.response.body", "body": error_body(error, scope["jackfield.request_id"])}
        if scope["type"] == "http":
            await send(head)
            await send(body)
        elif (await receive())["type"] == "websocket.connect":
            await send({"type": "websocket.close", "code": 1013, "reason": "ROLE_MISSING"})
