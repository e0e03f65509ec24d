"""The management API from inside: what an application of ours does for a caller whom the gate has let in.

One way in means one set of rules. Scopes, validation, limits, hosts and log lines are those of the same request over
HTTP. Nobody writes a part of an operation a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from .asgi import Scope
from .json_values import Json
from .records import record


@record
class OwnAnswer:
    """headers: names in lower case; data: the JSON of the body. A body of another type is its text; None: it is
    empty; size: bytes of the body."""

    status: int
    headers: Mapping[str, str]
    data: Json
    size: int = 0


class OwnCalls(Protocol):
    """As a port."""

    async def call(
        self,
        caller: Scope,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Json = None,
        headers: Mapping[str, str] | None = None,
    ) -> OwnAnswer:
        """The answer, whatever its status.

        `caller`: the scope of the request that the gate has let in. `path`: below `/api`, percent-encoded where it has
        to be. `headers`: of the request, such as If-Match. To cancel it is what leaving is over HTTP. Raises
        `JackfieldError` for what is refused before there is an answer, and `UpstreamFailed` for an answer of more than
        32 MiB.
        """
