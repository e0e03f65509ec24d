"""The pages to which providers send browsers back. They hold nothing of anybody. The script of a login's page hands the
answer to `POST /api/session`, which looks at Origin, cookie and process as for every login."""

from __future__ import annotations

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.asgi_answers import ScriptedPage
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


_BODY = '<p>One moment ...</p><a href="/" hidden>Back to the login</a>'


class SentBackPage:
    """The same for everybody, and nothing may be loaded or sent but what its script asks of the daemon itself."""

    def __init__(self, title: str, script: str) -> None:
        self._page = ScriptedPage(title, _BODY, script)

    async def send(self, scope: Scope, send: Send) -> None:
        """Raises `MethodNotAllowed`."""
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed(["GET", "HEAD"])
        await self._page.send(scope, send)


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
