"""JSON over HTTP, signed: several messages in one request."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.plain_http import HttpFailed, PlainClient
from jackfield_log_streams.book import LogStream
from jackfield_log_streams.messages import StreamMessage, content
from jackfield_log_streams.senders.sending import SendFailed

_LARGEST = 64 * 1024
"""Bytes of an answer, of which nothing is looked at."""
_GOOD = range(200, 300)


class HttpPoster:
    """A client of one address."""

    def __init__(self, address: str, headers: Mapping[str, str], timeout: float) -> None:
        self._address, self._headers, self._timeout = address, headers, timeout

    async def post(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Raises `SendFailed`."""
        try:
            async with (
                asyncio.timeout(self._timeout),
                PlainClient(timeout=self._timeout, trust_environment=True) as client,
            ):
                answer = await client.send(
                    "POST", self._address, content=body, headers={**self._headers, **headers}, largest=_LARGEST
                )
        except TimeoutError:  # the client's own timeout is one of silence
            raise SendFailed("The receiver did not answer in time.") from None
        except HttpFailed as exc:
            raise SendFailed(f"The request failed: {exc}.") from None
        if answer.status not in _GOOD:
            raise SendFailed(f"The receiver answered {answer.status}.")


class WebhookSender:
    """The signature is that of `signature`; a receiver compares it, and the time in it with its own."""

    def __init__(self, context: PluginContext, stream: LogStream, timeout: float) -> None:
        self._clock, self._secret = context.clock, stream.secret
        self._poster = HttpPoster(stream.address, stream.headers, timeout)

    async def send(self, messages: Sequence[StreamMessage]) -> None:
        body = b'{"messages":[' + b",".join(map(content, messages)) + b"]}"
        headers = {"Content-Type": "application/json", "X-Jackfield-Delivery": new_id()}
        if self._secret:
            headers["X-Jackfield-Signature"] = signature(self._secret, self._clock.now_ms() // 1000, body)
        await self._poster.post(body, headers)

    async def close(self) -> None:
        """Nothing is open between two batches."""


def signature(secret: str, at: int, body: bytes) -> str:
    """at: Unix seconds. HMAC-SHA-256 of the time, a dot and the body."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"
