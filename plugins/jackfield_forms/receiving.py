"""The content that a browser sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping

from quart import Request
from quart.wrappers import Body
from werkzeug.exceptions import RequestTimeout

from jackfield.api.body_budget import SMALL, taken_for
from jackfield.api.errors import StoreUnavailable, UnsupportedMediaType
from jackfield_forms.values import Sent, SubmittedFile

_COSTS = {"multipart/form-data": 2, "application/x-www-form-urlencoded": 40}
"""Media type -> bytes of memory per byte that was sent: a field of two characters becomes a pair and two texts."""


class _CountedBody(Body):
    """Knows how much of it came."""

    size = 0

    def append(self, data: bytes) -> None:
        self.size += len(data)
        super().append(data)


class FormRequest(Request):
    """A request that knows how much of its body came."""

    body_class = _CountedBody


async def arrived(request: Request, timeout: float, rate: int) -> int:
    """The body's length once it is whole. `timeout`: seconds, to which each `rate` bytes add one. So files over a slow
    line have their time, and a body that drips has not. Raises werkzeug's `RequestTimeout` and
    `RequestEntityTooLarge`."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    whole = asyncio.ensure_future(request.get_data())
    try:
        while not whole.done():
            size = request.body.size if isinstance(request.body, _CountedBody) else 0
            left = began + timeout + size / rate - loop.time()
            if left <= 0:
                raise RequestTimeout
            await asyncio.wait((whole,), timeout=left)
        return len(await whole)
    finally:
        whole.cancel()


class Reception:
    """Takes in that many forms at a time: each is whole in memory while it is read. One address gets half of the slots,
    so that nobody closes every form by sending slowly."""

    def __init__(self, slots: int, timeout: float, rate: int) -> None:
        """timeout, rate: see `arrived`."""
        self._slots = slots
        self._timeout = timeout
        self._rate = rate
        self._share = max(1, slots // 2)
        self._reading: Counter[str] = Counter()

    async def read(self, request: Request) -> Sent:
        """Raises `UnsupportedMediaType`, `StoreUnavailable` when there is no slot, `PayloadTooLarge` and
        `MemoryExhausted` when it takes too much memory. Raises werkzeug's own errors for what is too large."""
        if (request.mimetype or "") not in _COSTS:
            raise UnsupportedMediaType("Send the form as multipart/form-data.")
        client = client_of(request)
        if self._reading.total() >= self._slots or self._reading[client] >= self._share:
            raise StoreUnavailable("Too many forms are being sent; try again in a moment.")
        self._reading[client] += 1
        try:
            # Nobody takes of what all bodies may have with a body that never comes.
            sent = await arrived(request, self._timeout, self._rate)
            memory = taken_for(request.scope, sent * _COSTS[request.mimetype or ""]) if sent >= SMALL else None
            form, files = await request.form, await request.files
        finally:
            self._reading[client] -= 1
            if not self._reading[client]:
                del self._reading[client]
        return Sent(
            {name: form.getlist(name) for name in form},
            {name: [_file(each) for each in files.getlist(name)] for name in files},
            memory,
        )


def _file(file: object) -> SubmittedFile:
    name = str(getattr(file, "filename", "") or "").replace("\\", "/").rpartition("/")[2].replace("\0", "")
    content: bytes = file.read()  # type: ignore[attr-defined]  # werkzeug's FileStorage, in memory or a file
    mime = str(getattr(file, "mimetype", "") or "application/octet-stream")
    return SubmittedFile(name[:255], mime, content)


def headers_of(request: Request) -> Mapping[str, str]:
    """Lower-case names."""
    return {name.lower(): value for name, value in request.headers.items()}


def client_of(request: Request) -> str:
    return str(request.scope.get("jackfield.client", "unknown"))
