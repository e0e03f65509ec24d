"""One-time codes with which `jackfield open` lets a browser in."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from jackfield.api.clock import Clock
from jackfield.api.errors import AuthRequired
from jackfield_auth.sessions.browser_sessions import digest_of

PREFIX = "jf_oc_"
LIFETIME = 60.0
"""Seconds."""
REMEMBERED = 100


class CodeInvalid(AuthRequired):
    """The code is not known, has been used, or is older than a minute; `jackfield open` makes another one."""

    code = "CODE_INVALID"


class OpenCodes:
    """Kept hashed, in memory alone; each opens once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._codes: OrderedDict[str, tuple[float, bool]] = OrderedDict()
        """Digest -> when it ends (monotonic), and whether only the daemon's own user may bring it."""

    def new(self, *, same_user: bool) -> str:
        """same_user: for a program that the command starts itself, whose arguments other users can see."""
        code = PREFIX + secrets.token_urlsafe(32)
        self._codes[digest_of(code.encode())] = (self._clock.monotonic() + LIFETIME, same_user)
        while len(self._codes) > REMEMBERED:
            self._codes.popitem(last=False)
        return code

    def take(self, code: str, *, same_user: bool) -> None:
        """Use it up. Raises `CodeInvalid`."""
        until, bound = self._codes.pop(digest_of(code.encode()), (0.0, False))
        if until <= self._clock.monotonic() or (bound and not same_user):
            raise CodeInvalid
