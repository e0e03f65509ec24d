"""Whole answers of raw ASGI applications: JSON, and pages that hold one script and nothing of anybody."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable

from . import jsontext
from .asgi import Scope, Send
from .json_values import Json

_STYLE = "font: 16px/1.5 system-ui; max-width: 32rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark"


async def send_json(send: Send, value: Json, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> None:
    """An answer that no cache keeps. `headers`: further ones."""
    body = jsontext.dumps(value)
    given = [(name.lower().encode(), text.encode("latin-1")) for name, text in headers]
    own = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*own, length, *given]})
    await send({"type": "http.response.body", "body": body})


class ScriptedPage:
    """A page on which a person decides something. No other site frames it, and no script but its own runs in it."""

    def __init__(self, title: str, body: str, script: str) -> None:
        """`title`: text. `body`: HTML below the heading. `script`: JavaScript that fills the body."""
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self._page = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
            f'<meta name="viewport" content="width=device-width"></head><body style="{_STYLE}"><main>'
            f"<h1>Jackfield</h1>\n{body}</main>\n<script>{script}</script></body></html>"
        ).encode()
        policy = (
            f"default-src 'none'; script-src 'sha256-{digest}'; connect-src 'self'; style-src 'unsafe-inline'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        self._headers = (
            (b"content-type", b"text/html; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"content-security-policy", policy.encode()),
            (b"referrer-policy", b"no-referrer"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"DENY"),
            (b"content-length", str(len(self._page)).encode()),
        )

    async def send(self, scope: Scope, send: Send) -> None:
        """The answer to a GET or a HEAD."""
        await send({"type": "http.response.start", "status": 200, "headers": list(self._headers)})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else self._page})
