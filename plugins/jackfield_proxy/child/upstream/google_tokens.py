"""Access tokens of Google Cloud, by the package google-auth: of a service account, or of the application default
credentials. The package blocks, so that it works in threads; it is loaded with the first request that needs it."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from typing import Any

import orjson

from jackfield.api.dialects.model import DialectError
from jackfield.api.object_references import load

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
MOST = 100
"""Credentials that are kept; of more the oldest are made again."""
_KINDS = {
    "service_account": ("google.oauth2.service_account:Credentials", "from_service_account_info"),
    "authorized_user": ("google.oauth2.credentials:Credentials", "from_authorized_user_info"),
}


class _Kept:
    """Any: the classes of google-auth are not typed."""

    def __init__(self) -> None:
        self.credentials: Any = None
        self.refreshing = asyncio.Lock()


class GoogleTokens:
    """Tokens are used until shortly before they expire."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def token(self, key: str, timeout: float) -> str:
        """key: the JSON key file of a service account; empty: the application default credentials. timeout: seconds for
        a new token. Raises `DialectError` 401, 501, 504."""
        mark = hashlib.sha256(key.encode()).hexdigest()
        kept = self._kept.setdefault(mark, _Kept())
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)
        if kept.credentials is None or not kept.credentials.valid:
            await self._refresh(kept, key, timeout)
        return str(kept.credentials.token)

    def known(self) -> list[str]:
        """Those that are kept."""
        return [str(kept.credentials.token) for kept in self._kept.values() if kept.credentials is not None]

    async def _refresh(self, kept: _Kept, key: str, timeout: float) -> None:
        """Raises as `token`. The time to wait for others who do the same counts."""
        try:
            async with asyncio.timeout(timeout), kept.refreshing:
                if kept.credentials is not None and kept.credentials.valid:  # somebody else has done it meanwhile
                    return
                kept.credentials = await asyncio.to_thread(_refreshed, kept.credentials, key, timeout)
        except TimeoutError:
            message = f"Google has given no access token within {timeout:g} s."
            raise DialectError(504, message, "timeout_error") from None


def _refreshed(credentials: Any, key: str, timeout: float) -> Any:
    """Blocks. Raises `DialectError`."""
    try:
        request = _loaded("google.auth.transport.requests:Request")()
    except ImportError:
        message = "Logins at Google Cloud need the package google-auth; install jackfield[google]."
        raise DialectError(501, message) from None
    try:
        found = credentials or _made(key)
        found.refresh(_bounded(request, timeout))
    except DialectError:
        raise
    except Exception as exc:  # google-auth raises what its parts raise; their words may hold parts of a key
        message = f"Google gives no access token for these credentials ({type(exc).__name__})."
        raise DialectError(401, message, "authentication_error") from None
    finally:
        request.session.close()
    return found


def _bounded(request: Any, timeout: float) -> Any:
    def send(*given: Any, **named: Any) -> Any:
        return request(*given, **{**named, "timeout": timeout})

    return send


def _made(key: str) -> Any:
    """Raises `DialectError`, and what google-auth raises."""
    if not key:
        return _loaded("google.auth:default")(scopes=[SCOPE])[0]
    try:
        info = orjson.loads(key)
        credentials, maker = _KINDS[info["type"]]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        message = "The key for Google Cloud is no JSON key file of a service account."
        raise DialectError(401, message, "authentication_error") from None
    return getattr(_loaded(credentials), maker)(info, scopes=[SCOPE])


def _loaded(reference: str) -> Any:
    return load(reference)
