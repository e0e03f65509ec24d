"""CORS of /api/v1 after `security.cors` (Fetch standard). Webhooks have their own."""

from __future__ import annotations

from jackfield.api.asgi import Message, Scope, Send
from jackfield.core.tables import CorsSettings


class Cors:
    """Answers preflights and marks answers for allowed origins."""

    def __init__(self, settings: CorsSettings) -> None:
        self._settings = settings
        self.enabled = settings.enabled

    def permission(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """The headers that let the request's origin read the answer; none for other origins."""
        if not self.enabled:
            return []
        origin = next((value for name, value in scope["headers"] if name == b"origin"), None)
        listed = self._settings.allowed_origins
        if origin is None or ("*" not in listed and origin.decode("latin-1") not in listed):
            return [(b"vary", b"Origin")]
        headers = [(b"access-control-allow-origin", origin), (b"vary", b"Origin")]
        headers.append((b"access-control-expose-headers", b"X-Request-Id, ETag, Retry-After"))
        if self._settings.allow_credentials:
            headers.append((b"access-control-allow-credentials", b"true"))
        return headers

    def is_preflight(self, scope: Scope) -> bool:
        """Whether this is a preflight that CORS answers."""
        return (
            self.enabled
            and scope["method"] == "OPTIONS"
            and any(name == b"access-control-request-method" for name, _ in scope["headers"])
        )

    async def answer_preflight(self, scope: Scope, send: Send) -> None:
        headers = self.permission(scope)
        if any(name == b"access-control-allow-origin" for name, _ in headers):
            headers += [
                (b"access-control-allow-methods", ", ".join(self._settings.allowed_methods).encode()),
                (b"access-control-allow-headers", ", ".join(self._settings.allowed_headers).encode()),
                (b"access-control-max-age", str(self._settings.max_age).encode()),
            ]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def marking(self, scope: Scope, send: Send) -> Send:
        """`send` with the permission added to the answer."""
        extra = self.permission(scope)
        if not extra:
            return send

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        return marked
