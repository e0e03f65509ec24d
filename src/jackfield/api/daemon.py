"""A command's way to the running daemon of its configuration directory, over HTTP. All of it blocks."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from .command_credentials import command_credential
from .errors import ConfigurationError, JackfieldError
from .files import read_private
from .host_names import is_loopback
from .records import record

if TYPE_CHECKING:
    from email.message import Message

TIMEOUT = 120.0
"""Seconds: sessions end and hooks run meanwhile."""
LARGEST = 16 * 2**20
"""Bytes of one answer."""


class DaemonAbsent(JackfieldError):
    """No daemon runs; start one with `jackfield serve`."""

    status = 503
    code = "DAEMON_ABSENT"


class DaemonSlow(JackfieldError):
    """The daemon runs, and has not answered in time; it is slow or busy. Try again later."""

    status = 504
    code = "DAEMON_SLOW"


class Elsewhere(JackfieldError):
    """This command works on the configuration directory; unset JACKFIELD_DAEMON_ENDPOINT."""

    status = 409
    code = "ENDPOINT_ELSEWHERE"


@record
class DaemonAnswer:
    """data: of the envelope. Any: each route has its own form."""

    data: Any
    warnings: tuple[str, ...] = ()


@record
class RawAnswer:
    """One answer of HTTP. headers: names as `http.client` compares them, in any case."""

    status: int
    headers: Message
    body: bytes


class DaemonClient:
    """The daemon that `endpoint`, `JACKFIELD_DAEMON_ENDPOINT` or `{config_dir}/daemon-endpoint` names."""

    def __init__(self, config_dir: Path, endpoint: str | None = None) -> None:
        self._config_dir = config_dir
        self._endpoint = endpoint

    @property
    def named(self) -> str:
        """The address that an option or `JACKFIELD_DAEMON_ENDPOINT` gives; empty: the directory says it."""
        return self._endpoint or os.environ.get("JACKFIELD_DAEMON_ENDPOINT", "")

    @property
    def base(self) -> str:
        """Scheme, host and port. Raises `DaemonAbsent` when there is no such file, or what is named is no address."""
        try:
            content = read_private(self._config_dir / "daemon-endpoint") or b""
        except ConfigurationError:
            content = b""
        found = self.named or content.decode("utf-8", "replace").strip()
        try:
            usable = urlsplit(found).scheme in ("http", "https") and bool(urlsplit(found).hostname)
        except ValueError:
            usable = False
        if not usable and self.named:
            raise DaemonAbsent(f"{found} is no address of a daemon; give scheme, host and port: http://127.0.0.1:8765.")
        if not usable:
            raise DaemonAbsent
        return found.rstrip("/")

    @property
    def key(self) -> str:
        """`JACKFIELD_API_KEY`, or what `jackfield login` has got for an address that is named. Empty: none. The daemon
        of the directory knows its own user without one. Raises `DaemonAbsent`, and `ConfigurationError` for a damaged
        file."""
        if key := os.environ.get("JACKFIELD_API_KEY"):
            return key
        found = command_credential(self._config_dir, self.base) if self.named else None
        return "" if found is None else found.key

    def headers(self) -> dict[str, str]:
        """Where the daemon cannot see which user calls, it has left a token. It is for this machine: a damaged file of
        the endpoint must not send it elsewhere. `key` goes before it. Raises as `key`."""
        if key := self.key:
            return {"X-API-Key": key}
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
        answer = self.send(method, path, query=query, body=body, headers=self.headers(), timeout=timeout)
        try:
            found = json.loads(answer.body)
            if answer.status < 300:
                return DaemonAnswer(found.get("data"), tuple(found.get("warnings", ())))
            raise JackfieldError(str(found["error"]), code=str(found.get("code", "INTERNAL")))
        except (ValueError, KeyError, TypeError, AttributeError):
            if answer.status >= 300:
                raise JackfieldError(f"The daemon answered with status {answer.status}.") from None
            raise JackfieldError(f"The daemon at {self.base} gave no answer that can be read.") from None

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str],
        timeout: float = TIMEOUT,
        largest: int = LARGEST,
    ) -> RawAnswer:
        """The answer, whatever its status. largest: bytes of it that are read. Raises `DaemonAbsent`, `DaemonSlow`, and
        `JackfieldError` where it cannot be read."""
        from .daemon_requests import Unanswered, exchange  # 15 ms, for which commands without a daemon do not wait

        base = self.base
        url = f"{base}{path}" + (f"?{urlencode(query)}" if query else "")
        typed = {"Content-Type": "application/json"} if body is not None else {}
        data = None if body is None else json.dumps(body).encode()
        try:
            status, found, content = exchange(method, url, data, {**headers, **typed}, timeout, largest)
        except Unanswered:
            if self.named:
                raise DaemonAbsent(f"The daemon at {base} does not answer; see JACKFIELD_DAEMON_ENDPOINT.") from None
            raise DaemonAbsent from None  # the file is what a crash has left
        except TimeoutError:
            raise DaemonSlow(f"The daemon at {base} is slow: it has not answered within {timeout:g} s.") from None
        except (OSError, ValueError):
            raise JackfieldError(f"The daemon at {base} gave no answer that can be read.") from None
        return RawAnswer(status, found, content)


def daemon_elsewhere(config_dir: Path) -> DaemonClient | None:
    """The daemon that `JACKFIELD_DAEMON_ENDPOINT` names.

    None: it is the one of this directory or the variable names none, so a command may work on the directory itself.
    """
    named = os.environ.get("JACKFIELD_DAEMON_ENDPOINT", "")
    if not named:
        return None
    content = read_private(config_dir / "daemon-endpoint") or b""
    own = _place(content.decode("utf-8", "replace").strip())
    return None if own is not None and own == _place(named) else DaemonClient(config_dir, named)


def require_here(config_dir: Path) -> None:
    """Raises `Elsewhere` when `JACKFIELD_DAEMON_ENDPOINT` names another daemon than that of this directory."""
    if (daemon := daemon_elsewhere(config_dir)) is not None:
        raise Elsewhere(
            f"This command works on the directory {config_dir}, and not on the daemon at {daemon.named}: unset "
            "JACKFIELD_DAEMON_ENDPOINT, or run the command where that daemon runs."
        )


def _place(address: str) -> tuple[str, str, int | None] | None:
    """The common part of two addresses of one daemon."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        return parts.scheme, "loopback" if is_loopback(host) else host, parts.port
    except ValueError:
        return None


def daemon_runs(config_dir: Path) -> bool:
    """Whether a daemon holds the directory's lock, or the directory itself, should its file be deleted.

    The shared lock taken to find out is held for microseconds.
    """
    return _is_locked(config_dir / "daemon.lock", os.O_NOFOLLOW) or _is_locked(config_dir, os.O_DIRECTORY)


def _is_locked(path: Path, flags: int) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | flags | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
