"""Answers of the daemon to a command line that logs in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlencode

from jackfield.api.daemon import DaemonAbsent, DaemonClient
from jackfield.api.daemon_requests import Unanswered, exchange
from jackfield.api.errors import JackfieldError
from jackfield_auth.command_logins.addresses import CLIENT

_TIMEOUT = 30.0
_LARGEST = 65_536


class AskedOften(Exception):
    """The daemon wants to be asked less often."""


class LoginAnswer:
    """One answer with the status of a success."""

    def __init__(self, found: Mapping[str, object], address: str) -> None:
        self._found = found
        self._address = address

    def text(self, name: str, absent: str | None = None) -> str:
        """Raises `JackfieldError` for a daemon that does not give it."""
        value = self._found.get(name, absent)
        value = absent if value is None else value
        if not isinstance(value, str):
            raise JackfieldError(f"The daemon at {self._address} gave no {name}.")
        return value

    def number(self, name: str) -> float:
        """Raises as `text`."""
        value = self._found.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise JackfieldError(f"The daemon at {self._address} gave no {name}.")
        return float(value)


class TokenEndpoint:
    """The daemon's endpoints for commands. Every method raises `DaemonAbsent`, and `JackfieldError` with its words."""

    def __init__(self, daemon: DaemonClient) -> None:
        self._base = daemon.base

    def ask(self, path: str, form: Mapping[str, str]) -> LoginAnswer:
        status, found = self._send(path, form)
        if status < 300:
            return LoginAnswer(found, self._base)
        if status in (404, 405) or not found:
            raise JackfieldError(f"The daemon at {self._base} lets no command line in (security.command_logins).")
        raise _refusal(status, found)

    def poll(self, path: str, form: Mapping[str, str]) -> LoginAnswer | None:
        """None: nobody has decided yet. Raises `AskedOften`, too."""
        status, found = self._send(path, form)
        if status == 429 or found.get("error") == "slow_down":
            raise AskedOften
        if found.get("error") == "authorization_pending":
            return None
        if status < 300:
            return LoginAnswer(found, self._base)
        raise _refusal(status, found)

    def _send(self, path: str, form: Mapping[str, str]) -> tuple[int, Mapping[str, object]]:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode({**form, "client_id": CLIENT}).encode()
        try:
            status, _, content = exchange("POST", self._base + path, body, headers, _TIMEOUT, _LARGEST)
        except Unanswered:
            raise DaemonAbsent(f"The daemon at {self._base} does not answer.") from None
        except (OSError, ValueError):
            raise JackfieldError(f"The daemon at {self._base} gave no answer that can be read.") from None
        try:
            found = json.loads(content)
        except ValueError:
            found = None
        return status, found if isinstance(found, dict) else {}


def _refusal(status: int, found: Mapping[str, object]) -> JackfieldError:
    told = str(found.get("error_description") or f"The daemon answered with the status {status}.")
    return JackfieldError(told, code=str(found.get("error", "LOGIN_FAILED")).upper())
