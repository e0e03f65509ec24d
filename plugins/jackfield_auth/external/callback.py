"""The page to which providers send browsers back. It holds nothing of anybody: its script hands the answer to
`POST /api/session`, which looks at Origin, cookie and process as for every login."""

from __future__ import annotations

import base64
import hashlib

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.errors import MethodNotAllowed, NotFound
from jackfield_auth.external.mounts import CALLBACK

_SCRIPT = """
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
_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Login</title></head>'
    '<body style="font-family: sans-serif; margin: 3em"><p>One moment ...</p>'
    f'<a href="/" hidden>Back to the login</a><script>{_SCRIPT}</script></body></html>'
).encode()
_POLICY = (
    f"default-src 'none'; script-src 'sha256-{_HASH}'; connect-src 'self'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-length", str(len(_PAGE)).encode()),
)


class CallbackPage:
    """`GET /auth/callback/{login}`. Raises `NotFound`, `MethodNotAllowed`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        above, _, name = scope["path"].rpartition("/")
        if above != CALLBACK or not name:
            raise NotFound
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed(["GET", "HEAD"])
        await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else _PAGE})
