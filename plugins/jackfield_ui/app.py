"""The ASGI application of `/`, `/ui/...` and `/ui/assets/...`.

Nothing here belongs to anybody: the pages are the same for everyone, and what they show comes from the API, which asks
who calls. Every path under `/ui` that is no file is a route of the page's own and answers the page.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.errors import MethodNotAllowed, NotFound
from jackfield_ui.encodings import accepted
from jackfield_ui.extensions import FOLDER, LIST, BrowserExtensions
from jackfield_ui.files import StaticFile, StaticFiles
from jackfield_ui.headers import HASHED, IMMUTABLE, REVALIDATED, brought_policy, page_headers, secured
from jackfield_ui.missing import MISSING_PAGE

STATIC = Path(__file__).parent / "static"
SEGMENT = "ui"
ASSETS = "assets/"
NONCE_MARK = b"__CSP_NONCE__"
"""Where the page has the nonce of its styles; every answer has another one."""


class Interface:
    """Serves one folder of built files. It is looked into when somebody asks first, on a thread."""

    def __init__(self, folder: Path, extensions: BrowserExtensions) -> None:
        self._files = StaticFiles(folder)
        self._extensions = extensions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotFound("There is nothing at this address.")
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed(["GET", "HEAD"])
        headers = dict(scope["headers"])
        name = scope["path"].removeprefix(f"/{SEGMENT}").removeprefix("/")
        if name == LIST:
            await self._list(scope["method"], send)
            return
        found = await asyncio.to_thread(self._find, name) if name else None
        if found is not None:
            await self._file(name, found, headers, scope["method"], send)
        elif name.startswith((ASSETS, FOLDER)):
            raise NotFound("There is no such file; load the page again.")
        else:
            await self._page(headers, scope["method"], send)

    def _find(self, name: str) -> StaticFile | None:
        if name.startswith(FOLDER):
            return self._extensions.find(name.removeprefix(FOLDER))
        return self._files.find(name)

    async def _list(self, method: str, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"cache-control", REVALIDATED), *secured()]
        await respond(send, 200, headers, await asyncio.to_thread(self._extensions.listing), method)

    async def _file(self, name: str, file: StaticFile, headers: dict[bytes, bytes], method: str, send: Send) -> None:
        encoding = accepted(headers.get(b"accept-encoding", b""), file.encodings)
        tag = file.tag(encoding)
        answer = [
            (b"etag", tag),
            (b"cache-control", IMMUTABLE if HASHED.search(name) else REVALIDATED),
            (b"vary", b"accept-encoding"),
            *secured(),
        ]
        if name.startswith(FOLDER):
            host = headers.get(b"host", b"").decode("latin-1")
            answer.append((b"content-security-policy", brought_policy(host, name)))
        if tag in [part.strip().removeprefix(b"W/") for part in headers.get(b"if-none-match", b"").split(b",")]:
            await respond(send, 304, answer, b"", method)
            return
        if encoding:
            answer.append((b"content-encoding", encoding.encode()))
        answer.append((b"content-type", file.content_type))
        try:
            content = await asyncio.to_thread(file.read, encoding)
        except FileNotFoundError:  # built anew this moment
            raise NotFound("There is no such file any more; load the page again.") from None
        await respond(send, 200, answer, content, method)

    async def _page(self, headers: dict[bytes, bytes], method: str, send: Send) -> None:
        nonce = secrets.token_urlsafe(16)
        content = await asyncio.to_thread(self._files.page) or MISSING_PAGE
        body = content.replace(NONCE_MARK, nonce.encode())
        host = headers.get(b"host", b"").decode("latin-1")
        await respond(send, 200, page_headers(host, nonce), body, method)


async def respond(send: Send, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes, method: str) -> None:
    """A whole answer; of a HEAD request its head."""
    length = [] if status == 304 else [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    interface = Interface(STATIC, BrowserExtensions(context))
    return [AsgiMount("", interface, "open", "ui"), AsgiMount(SEGMENT, interface, "open", "ui")]
