"""A command's way to the management API (`/api/v1`) of the running daemon. All of it blocks."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .daemon import DaemonClient, RawAnswer
from .errors import InvalidInput, JackfieldError, NotFound

PREFIX = "/api/v1"
PAGE = 100
TIMEOUT = 60.0
"""Seconds for one request; what takes longer is polled."""
LARGEST = 256 * 2**20
"""Bytes of one answer: executions with their items."""
NO_KEY = (
    "The daemon wants to know who asks. Run this command as the daemon's own user, log in with `jackfield login`, or "
    "set JACKFIELD_API_KEY (or give --api-key) to a key of `jackfield api-key create`."
)


class ManagementClient:
    """The API of one daemon, as its owner or with an API key. A context manager.

    Without a key, the daemon looks at whose process asks, as for a browser: its owner gets a session, which ends with
    this object. Every method raises `DaemonAbsent`, and `JackfieldError` with the daemon's own words."""

    def __init__(self, config_dir: Path, *, endpoint: str | None = None, api_key: str | None = None) -> None:
        """endpoint: scheme, host and port in place of what `JACKFIELD_DAEMON_ENDPOINT` or the directory names. api_key:
        in place of `JACKFIELD_API_KEY` and of what `jackfield login` has got."""
        self._daemon = DaemonClient(config_dir, endpoint)
        self._headers: dict[str, str] = {"X-API-Key": api_key} if api_key else {}
        self._has_session = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._has_session:
            with contextlib.suppress(JackfieldError):  # it ends by itself later
                self._daemon.send("DELETE", "/api/session", headers=self._headers, timeout=TIMEOUT)

    @property
    def base(self) -> str:
        """Scheme, host and port. Raises `DaemonAbsent`."""
        return self._daemon.base

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        refused: str = "",
        timeout: float = TIMEOUT,
    ) -> Any:  # the JSON of an answer, whose form each route states
        """The answer's JSON, None for an empty one.

        `path`: below `/api/v1`. `refused`: a key by which a refusal is an answer, too. `timeout`: seconds, for what is
        known to take long.
        """
        if not self._headers:
            self._begin()
        answer = self._daemon.send(
            method,
            PREFIX + path,
            query=query,
            body=body,
            headers=self._headers,
            timeout=timeout,
            largest=LARGEST,
        )
        found = _read(answer)
        if 200 <= answer.status < 300 or (refused and isinstance(found, dict) and refused in found):
            return found
        raise refusal(answer.status, found)

    def rows(self, path: str, query: Mapping[str, str] | None = None) -> Iterator[dict[str, Any]]:
        """Every row of a list, page by page."""
        seen = 0
        while True:
            page = self.ask("GET", path, query={**(query or {}), "offset": str(seen), "limit": str(PAGE)})
            yield from page["data"]
            seen += len(page["data"])
            if not page["data"] or seen >= page["total"]:
                return

    def _begin(self) -> None:
        if key := self._daemon.key:
            self._headers = {"X-API-Key": key}
            return
        answer = self._daemon.send("POST", "/api/session", body={}, headers=self._daemon.headers(), timeout=TIMEOUT)
        cookie = (answer.headers.get("Set-Cookie") or "").partition(";")[0]
        if answer.status != 200 or not cookie:
            raise JackfieldError(NO_KEY, code="AUTH_REQUIRED")
        # A cookie counts for what the daemon's own pages send, which say their origin.
        self._headers = {"Cookie": cookie, "Origin": self.base}
        self._has_session = True


def refusal(status: int, body: object) -> JackfieldError:
    """The error that an answer of `/api/v1` tells."""
    found = body if isinstance(body, dict) else {}
    if status == 401:
        return JackfieldError(NO_KEY, code=str(found.get("code", "AUTH_REQUIRED")))
    message = str(found.get("message") or f"The daemon answered with the status {status}.")
    details = found.get("details") if isinstance(found.get("details"), dict) else None
    kind = {400: InvalidInput, 404: NotFound, 413: InvalidInput}.get(status)
    if kind is not None:
        return kind(message, details=details)
    return JackfieldError(message, code=str(found.get("code", JackfieldError.code)), details=details)


def _read(answer: RawAnswer) -> object:
    try:
        return json.loads(answer.body) if answer.body else None
    except ValueError:
        if answer.status >= 300:
            return None
        raise JackfieldError("The daemon gave no answer that can be read.") from None
