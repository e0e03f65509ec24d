"""Where the provider sends the user back: a raw application, since that request comes from another site and carries
no credential of ours. The state vouches for it."""

from __future__ import annotations

import html
from urllib.parse import parse_qs

from jackfield.api.asgi import Receive, Scope, Send, error_body
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, MethodNotAllowed, NotFound
from jackfield.api.nodes import NodeError
from jackfield_credentials.mounts import CALLBACK
from jackfield_credentials.service import CredentialService

_LONGEST = 4096
_HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class AuthorizationCallback:
    """Answers with a small page for the user."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] != CALLBACK:
            await _refuse(scope, send, NotFound())
        elif scope["method"] != "GET":
            await _refuse(scope, send, MethodNotAllowed(["GET"]))
        else:
            status, text = await self._finish(scope["query_string"].decode("latin-1"))
            await _answer(send, status, text)

    async def _finish(self, query: str) -> tuple[int, str]:
        try:
            given = {name: values[-1] for name, values in parse_qs(query[: 4 * _LONGEST], max_num_fields=50).items()}
        except ValueError:
            return 400, "The provider sent too much."
        state, code = given.get("state", ""), given.get("code", "")
        authorizing = self._context.port(CredentialService).authorizing
        try:
            if given.get("error") or not code:
                await authorizing.take(state, given.get("iss"))
                told = given.get("error_description") or given.get("error") or "it sent no code"
                return 400, f"The provider did not grant access: {told[:200]}"
            await authorizing.finish(state, code, given.get("iss"))
        except (NodeError, JackfieldError) as exc:
            return 400, exc.message
        self._context.log.info("A credential was connected to its provider.")
        return 200, "The credential is connected. You can close this window."


async def _answer(send: Send, status: int, text: str) -> None:
    title = "Connected" if status == 200 else "Not connected"
    body = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<body style="font-family: sans-serif; margin: 3em"><h1>{title}</h1><p>{html.escape(text)}</p></body></html>'
    ).encode()
    headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _refuse(scope: Scope, send: Send, error: JackfieldError) -> None:
    body = error_body(error, str(scope.get("jackfield.request_id", "")))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in error.headers]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
