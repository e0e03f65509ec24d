"""Tokens by which one host vouches for a caller to another one.

Sealed and authenticated with a key that is derived from the one master key. A token is valid for one host, one method
and one target, once, within seconds. Nobody gets one to see but the host that it is for.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import cast

from jackfield.api import jsontext
from jackfield.api.auth import Principal
from jackfield.api.clock import Clock
from jackfield.api.context import Secrets
from jackfield.api.errors import AuthRequired, InvalidInput, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.core.keys import aes_gcm

HEADER = b"x-jackfield-forwarded"
VALID_MS = 15_000
"""A token is taken so long before and after it was made: hosts' clocks may differ by as much."""
MOST_SEEN = 100_000
"""Tokens that are remembered, so that none counts twice."""
_KEY = "host-forwarding"
_USE = b"jackfield/1/host-forwarding"


class ForwardingRefused(AuthRequired):
    """The token of another host does not count here."""

    code = "FORWARDING_REFUSED"


@record
class ForwardedCaller:
    """The caller of the host that passes the request on.

    `principal`: None for nobody. `client`: as trusted proxies name it. `peer`: of the connection. `public`: whether the
    caller named one of `server.public_hosts`. `credentials`: the headers that it was known by, for later looks.
    """

    principal: Principal | None
    client: str
    peer: tuple[str, int]
    public: bool = False
    credentials: Sequence[tuple[str, str]] = ()


class ForwardingTokens:
    """Makes and reads them. here: the name of this host."""

    def __init__(self, keys: Secrets, clock: Clock, here: str) -> None:
        self._keys = keys
        self._clock = clock
        self._here = here
        self._seen: OrderedDict[str, int] = OrderedDict()
        """Token's number -> until when it could come again, in ms."""

    def make(self, target: str, method: str, path: bytes, caller: ForwardedCaller) -> str:
        """target: name of the host; path: raw, with the query."""
        told: dict[str, Json] = {
            "from": self._here,
            "to": target,
            "at": self._clock.now_ms(),
            "number": secrets.token_hex(16),
            "method": method,
            "target": _digest(path),
            "client": caller.client,
            "peer": list(caller.peer),
            "public": caller.public,
            "credentials": [list(pair) for pair in caller.credentials],
            "caller": None if caller.principal is None else _principal_out(caller.principal),
        }
        sealed = aes_gcm.sealed(self._keys.key(_KEY), jsontext.dumps(told), _USE)
        return base64.urlsafe_b64encode(sealed).decode()

    def read(self, token: bytes, method: str, path: bytes) -> ForwardedCaller:
        """Raises `ForwardingRefused`, and `StoreUnavailable` when too many came to tell them apart."""
        told = self._opened(token)
        if told.get("to") != self._here:
            raise ForwardingRefused("The token is for another host.")
        if told.get("method") != method or told.get("target") != _digest(path):
            raise ForwardingRefused("The token is for another request.")
        now, at = self._clock.now_ms(), told.get("at")
        if not isinstance(at, int) or abs(now - at) > VALID_MS:
            raise ForwardingRefused(
                f"The token was not made within {VALID_MS // 1000} s; set the clocks of the hosts right."
            )
        self._take_once(str(told.get("number")), now)
        try:
            return _caller_in(told)
        except (KeyError, TypeError, ValueError):
            raise ForwardingRefused("The token is of another version; update the hosts.") from None

    def _opened(self, token: bytes) -> Mapping[str, Json]:
        try:
            raw = base64.urlsafe_b64decode(token)
        except (binascii.Error, ValueError):
            raise ForwardingRefused from None
        for key in (self._keys.key(_KEY), *self._keys.earlier_keys(_KEY)):
            plain = aes_gcm.opened(key, raw, _USE)
            found = _parsed(plain) if plain is not None else None
            if isinstance(found, dict):
                return found
        raise ForwardingRefused

    def _take_once(self, number: str, now: int) -> None:
        while self._seen and next(iter(self._seen.values())) < now:
            self._seen.popitem(last=False)
        if number in self._seen:
            raise ForwardingRefused("The token was used already.")
        if len(self._seen) >= MOST_SEEN:
            raise StoreUnavailable("Too many requests come from other hosts; try again in a moment.")
        self._seen[number] = now + 2 * VALID_MS


def _parsed(plain: bytes) -> Json:
    """None: it is no JSON."""
    try:
        return jsontext.loads(plain)
    except InvalidInput:
        return None


def _digest(path: bytes) -> str:
    return hashlib.sha256(path).hexdigest()


def _principal_out(caller: Principal) -> Json:
    return {
        "user_id": caller.user_id,
        "username": caller.username,
        "role": caller.role,
        "method": caller.method,
        "scopes": None if caller.scopes is None else cast("list[Json]", sorted(caller.scopes)),
        "projects": None if caller.projects is None else cast("list[Json]", sorted(caller.projects)),
        "claims": {name: value for name, value in caller.claims.items() if isinstance(value, str | int | float | None)},
    }


def _caller_in(told: Mapping[str, Json]) -> ForwardedCaller:
    """Raises KeyError, TypeError, ValueError."""
    peer, pairs = told["peer"], told["credentials"]
    if not (isinstance(peer, list) and isinstance(pairs, list)):
        raise TypeError
    host, port = peer
    credentials = [(str(pair[0]), str(pair[1])) for pair in pairs if isinstance(pair, list)]
    found = told["caller"]
    return ForwardedCaller(
        None if found is None else _principal_in(found),
        str(told["client"]),
        (str(host), int(cast("int", port))),
        told["public"] is True,
        credentials,
    )


def _principal_in(found: Json) -> Principal:
    if not isinstance(found, dict):
        raise TypeError
    scopes, claims, projects = found["scopes"], found["claims"], found.get("projects")
    return Principal(
        str(found["user_id"]),
        str(found["username"]),
        str(found["role"]),
        str(found["method"]),
        frozenset(map(str, scopes)) if isinstance(scopes, list) else None,
        claims if isinstance(claims, dict) else {},
        frozenset(map(str, projects)) if isinstance(projects, list) else None,
    )
