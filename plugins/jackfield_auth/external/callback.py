"""The pages to which providers send browsers back. They hold nothing of anybody. The script of a login's page hands the
answer to `POST /api/session`, which looks at Origin, cookie and process as for every login."""

from __future__ import annotations

import base64
import hashlib

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.errors import MethodNotAllowed, NotFound
from jackfield_auth.external.mounts import CALLBACK, LEFT

_LOGIN = """
const words = document.querySelector("p");
const provider = location.pathname.split("/").pop();
const answer = location.search.slice(1);
history.replaceState(null, "", location.pathname);
fetch("/api/session", {
  method: "POST",
  credentials: "same-origin",
  headers: {"Content-Type": "application/json"},
  body: JSON.stringify({provider, answer}),
}).then(async (reply) => {
  if (reply.ok) { location.replace("/"); return; }
  const told = await reply.json().catch(() => ({}));
  words.textContent = told.error || "The login failed.";
  document.querySelector("a").hidden = false;
}).catch(() => { words.textContent = "The daemon does not answer."; });
"""
_LOGOUT = 'location.replace("/");'
"""A page of ours may go there; a provider's may not."""


class SentBackPage:
    """The same for everybody, and nothing may be loaded or sent but what its script asks of the daemon itself."""

    def __init__(self, title: str, script: str) -> None:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = (
            f"default-src 'none'; script-src 'sha256-{digest}'; connect-src 'self'; style-src 'unsafe-inline'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._page = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
            '<body style="font-family: sans-serif; margin: 3em"><p>One moment ...</p>'
            f'<a href="/" hidden>Back to the login</a><script>{script}</script></body></html>'
        ).encode()
        self._headers = [
            (b"content-type", b"text/html; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"content-security-policy", policy.encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
            (b"content-length", str(len(self._page)).encode()),
        ]

    async def send(self, scope: Scope, send: Send) -> None:
        """Raises `MethodNotAllowed`."""
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed(["GET", "HEAD"])
        await send({"type": "http.response.start", "status": 200, "headers": list(self._headers)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else self._page})


class CallbackPage:
    """`GET /auth/callback/{login}`. Raises `NotFound`, `MethodNotAllowed`."""

    def __init__(self) -> None:
        self._page = SentBackPage("Login", _LOGIN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        above, _, name = scope["path"].rpartition("/")
        if above != CALLBACK or not name:
            raise NotFound
        await self._page.send(scope, send)


class LeftPage:
    """`GET /auth/left`, after a logout at a provider. Raises `NotFound`, `MethodNotAllowed`."""

    def __init__(self) -> None:
        self._page = SentBackPage("Logout", _LOGOUT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != LEFT:
            raise NotFound
        await self._page.send(scope, send)
