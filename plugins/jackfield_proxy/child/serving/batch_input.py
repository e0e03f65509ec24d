"""The requests that a batch's input file has: a key's batch speaks of nothing that the key itself may not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web

from jackfield.api.dialects import fields
from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.answers.relay import Carrier
from jackfield_proxy.child.incoming import google_kept, large, references
from jackfield_proxy.child.incoming.endpoint_request import EndpointRequest

if TYPE_CHECKING:
    from jackfield_proxy.child.answers.relay import RelayContext
    from jackfield_proxy.child.incoming.helpers import HelperProcesses
    from jackfield_proxy.child.upstream.sending import Opened

LONGEST_LINE = 4 * 2**20
"""Bytes of one request."""
MOST_IDS = 1000
"""That are asked about at a time."""


class InputRefused(DialectError):
    """The provider has done nothing wrong."""


def input_of(call: EndpointRequest) -> EndpointRequest | None:
    """Which file has to be looked at before the request is sent; None: none has. Raises `DialectError` 400, and 403 for
    one that cannot be."""
    if call.dialect == "gemini" and call.method == "POST" and call.body:
        google_kept.require_seen(call.path, fields.body_object(call.body))
        return None
    if call.method != "POST" or call.path != "/batches" or not call.body:
        return None
    file = fields.body_object(call.body).get("input_file_id")
    if not isinstance(file, str):
        return None
    pairs = [(name, value) for name, value in call.pairs if not name.lower().startswith("content-")]
    found = EndpointRequest(call.dialect, "GET", f"/files/{quote(file, safe='')}/content", b"", pairs, "", call.helpers)
    found.account = call.account
    return found


class BatchInput(Carrier):
    """An answer that is looked at, line by line, and goes to nobody. usable: which of these ids are the key's."""

    def __init__(
        self,
        context: RelayContext,
        opened: Opened,
        usable: Callable[[Sequence[str]], Awaitable[frozenset[str]]],
        helpers: HelperProcesses,
    ) -> None:
        super().__init__(context, opened)
        self._usable = usable
        self._helpers = helpers
        self._known: set[str] = set()
        self._line = 0

    async def _carry(self, request: web.BaseRequest) -> web.StreamResponse:
        rest = b""
        async for chunk in self._plain():
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise InputRefused(
                    413, f"A line of a batch's input may have {LONGEST_LINE} bytes.", "request_too_large"
                )
            await self._look_at(lines)
        await self._look_at([rest])
        return web.Response()

    async def _look_at(self, lines: Sequence[bytes]) -> None:
        """Raises `InputRefused`."""
        named = [one for line in lines for one in await self._named(line) if one not in self._known]
        for start in range(0, len(named), MOST_IDS):
            part = named[start : start + MOST_IDS]
            own = await self._usable(part)
            theirs = next((one for one in part if one not in own), None)
            if theirs is not None:
                message = f"There is no {theirs[:100]} of this key, which the batch's input names."
                raise InputRefused(404, message, "not_found_error", code="object_not_found")
            if len(self._known) < MOST_IDS:
                self._known |= own

    async def _named(self, line: bytes) -> Sequence[str]:
        self._line += 1
        if not line.strip():
            return ()
        try:
            return await large.read(self._helpers, references.of_text, line, self._call.dialect)
        except DialectError as exc:
            message = f"Line {self._line} of the batch's input: {exc.message}"
            raise InputRefused(exc.status, message, exc.kind) from None
