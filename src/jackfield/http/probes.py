"""`/health` and `/ready`: answered without Quart, so that they are there as soon as the daemon serves."""

from __future__ import annotations

from jackfield.api import jsontext
from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.clock import iso
from jackfield.api.errors import JackfieldError, MethodNotAllowed, NotFound
from jackfield.api.version import __version__
from jackfield.core.kernel import Kernel

from .errors import send_error

PROBES = {
    "/health": "Whether the process answers; no I/O.",
    "/ready": "Whether store and engine work; damaged data, what does not work of a plugin (`degraded`) and failed "
    "plugins are named beside that.",
}


class Probes:
    """A raw ASGI application for the paths of `PROBES`."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        error: JackfieldError | None = None
        if scope["path"] not in PROBES:
            error = NotFound("There is nothing at this address.")
        elif method not in ("GET", "HEAD"):
            error = MethodNotAllowed(["GET", "HEAD"])
        if error is not None:
            await send_error(send, error, scope["path"], scope["jackfield.request_id"], method)
            return
        status, found = await self._ready() if scope["path"] == "/ready" else (200, self._health())
        body = jsontext.dumps(found)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

    def _health(self) -> dict[str, object]:
        return {"status": "ok", "service": "jackfield", "version": __version__, "time": self._now()}

    async def _ready(self) -> tuple[int, dict[str, object]]:
        checks = dict(await self._kernel.health.checks())
        good = self._kernel.ready and all(found == "ok" for found in checks.values())
        data, standing = self._kernel.health.data_state(), self._kernel.health.standing()
        sound = all(found == "ok" for found in (data, *standing.values()))
        status = "not ready" if not good else "ready" if sound else "degraded"
        return 200 if good else 503, {
            "status": status,
            "time": self._now(),
            "checks": {**standing, **checks, "data": data, "plugins": self._kernel.health.plugin_state()},
        }

    def _now(self) -> str:
        return iso(self._kernel.clock.now_ms())
