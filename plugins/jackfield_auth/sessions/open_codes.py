"""One-time codes with which `jackfield open` lets a browser in."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from jackfield.api.errors import AuthRequired
from jackfield.api.memos import Memos, Room
from jackfield_auth.sessions.browser_sessions import digest_of

PREFIX = "jf_oc_"
LIFETIME = 60.0
"""Seconds."""
ROOM = Room(100)
KIND = "open-code"
_ANYBODY, _SAME_USER = b"anybody", b"same-user"
"""Whether only the daemon's own user may bring it."""


class CodeInvalid(AuthRequired):
    """The code is not known, has been used, or is older than a minute; `jackfield open` makes another one."""

    code = "CODE_INVALID"


class OpenCodes:
    """Kept hashed; each opens once, at whichever daemon of the store."""

    def __init__(self, memos: Callable[[], Memos]) -> None:
        self._memos = memos

    async def new(self, *, same_user: bool) -> str:
        """same_user: for a program that the command starts itself, whose arguments other users can see."""
        code = PREFIX + secrets.token_urlsafe(32)
        bound = _SAME_USER if same_user else _ANYBODY
        await self._memos().put_memo(KIND, digest_of(code.encode()), bound, LIFETIME, ROOM)
        return code

    async def take(self, code: str, *, same_user: bool) -> None:
        """Use it up. Raises `CodeInvalid`."""
        bound = await self._memos().take_memo(KIND, digest_of(code.encode()))
        if bound is None or (bound == _SAME_USER and not same_user):
            raise CodeInvalid
