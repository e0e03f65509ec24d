"""A command's way to the running daemon of its configuration directory, over HTTP. All of it blocks."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from .errors import ConfigurationError, JackfieldError
from .files import read_private
from .http_client import is_loopback
from .records import record

TIMEOUT = 120.0
"""Seconds: sessions end and hooks run meanwhile."""
LARGEST = 16 * 2**20
"""Bytes of one answer."""


class DaemonAbsent(JackfieldError):
    """No daemon runs; start one with `jackfield serve`."""

    status = 503
    code = "DAEMON_ABSENT"


@record
class DaemonAnswer:
    """data: of the envelope. Any: each route has a form of its own."""

    data: Any
    warnings: tuple[str, ...] = ()


class DaemonClient:
    """The daemon that `JACKFIELD_DAEMON_ENDPOINT` or `{config_dir}/daemon-endpoint` names."""

    def __init__(self, config_dir: Path) -> None:
        self._config_dir = config_dir

    @property
    def base(self) -> str:
        """Scheme, host and port. Raises `DaemonAbsent` when there is no such file."""
        try:
            content = read_private(self._config_dir / "daemon-endpoint") or b""
        except ConfigurationError:
            content = b""
        found = os.environ.get("JACKFIELD_DAEMON_ENDPOINT") or content.decode("utf-8", "replace").strip()
        try:
            usable = urlsplit(found).scheme in ("http", "https")
        except ValueError:
            usable = False
        if not usable:
            raise DaemonAbsent
        return found.rstrip("/")

    def headers(self) -> dict[str, str]:
        """Where the daemon cannot see which user calls, it has left a token. It is for this machine: a damaged file of
        the endpoint must not send it elsewhere. Raises `DaemonAbsent`."""
        if not is_loopback(urlsplit(self.base).hostname or ""):
            return {}
        try:
            token = (read_private(self._config_dir / "daemon-token") or b"").decode("ascii", "replace").strip()
        except ConfigurationError:
            token = ""
        return {"Authorization": f"Bearer {token}"} if token else {}

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        timeout: float = TIMEOUT,
    ) -> DaemonAnswer:
        """Raises `DaemonAbsent`, and `JackfieldError` with what the daemon says."""
        base = self.base
        url = f"{base}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = self.headers() | ({"Content-Type": "application/json"} if body is not None else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - `base` is http
        # No web proxy stands between a user's program and the same user's daemon.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
        try:
            with opener.open(request, timeout=timeout) as answer:
                found = json.loads(answer.read(LARGEST))
        except urllib.error.HTTPError as exc:
            raise _told(exc) from None
        except (urllib.error.URLError, ConnectionError):
            raise DaemonAbsent from None  # the file is what a crash has left
        except (OSError, ValueError, http.client.HTTPException):  # the last one of an address that is none, too
            raise JackfieldError(f"The daemon at {base} gave no answer that can be read.") from None
        return DaemonAnswer(found.get("data"), tuple(found.get("warnings", ())))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The daemon never sends its callers elsewhere; whoever does would get the token."""

    def redirect_request(self, *_: object) -> None:
        return None


def _told(error: urllib.error.HTTPError) -> JackfieldError:
    try:
        found = json.loads(error.read(LARGEST))
        return JackfieldError(str(found["error"]), code=str(found.get("code", "INTERNAL")))
    except (OSError, ValueError, KeyError, TypeError):
        return JackfieldError(f"The daemon answered with status {error.code}.")
