"""A request's body that an authentication method reads before its view does."""

from __future__ import annotations

import asyncio

from jackfield.api.asgi import Message, Receive, Scope
from jackfield.api.errors import JackfieldError, PayloadTooLarge, RequestTimeout


class BodyReplay:
    """`receive` of one request. Without a `read` every message goes through as it comes."""

    def __init__(self, receive: Receive, scope: Scope, limit: int, timeout: float) -> None:
        """limit: bytes; timeout: seconds for the whole body."""
        self._receive = receive
        self._scope = scope
        self._limit = limit
        self._timeout = timeout
        self._body: bytes | None = None
        self._read = False
        self._failure: JackfieldError | None = None

    async def read(self) -> bytes:
        """The whole body. Raises `PayloadTooLarge`, `RequestTimeout`."""
        if not self._read:
            self._read = True
            try:
                self._body = await self._whole()
            except BaseException as exc:
                self._failure = exc if isinstance(exc, JackfieldError) else JackfieldError()
                raise
        if self._failure is not None:
            raise self._failure
        if self._body is None:
            raise JackfieldError("The request's body was handed on already.")
        return self._body

    async def receive(self) -> Message:
        """Raises what `read` has raised: what is left of the body is not the body."""
        if self._failure is not None:
            raise self._failure
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _whole(self) -> bytes:
        for name, value in self._scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > self._limit:
                raise self._too_large()
        # One growing array: a megabyte in pieces of one byte would be a hundred megabytes of pieces.
        found = bytearray()
        try:
            async with asyncio.timeout(self._timeout):
                while True:
                    message = await self._receive()
                    if message["type"] != "http.request":
                        raise RequestTimeout("The caller left before its body was whole.")
                    found += message.get("body", b"")
                    if len(found) > self._limit:
                        raise self._too_large()
                    if not message.get("more_body", False):
                        return bytes(found)
        except TimeoutError:
            raise RequestTimeout from None

    def _too_large(self) -> PayloadTooLarge:
        return PayloadTooLarge(
            f"The body may have at most {self._limit} bytes where it is read to authenticate its request "
            "(security.auth.body_limit)."
        )
