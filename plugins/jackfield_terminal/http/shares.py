"""Links with which somebody without a credential may look at one session, for a while."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

from jackfield.api.auth import Standing, unending
from jackfield.api.clock import Clock
from jackfield.api.errors import AuthRequired
from jackfield.api.hosts import Host
from jackfield.api.records import record

PREFIX = "jf_sh_"
_MARK = 12
"""Digits that tell one host from another."""
REMEMBERED = 1000
"""Links at most; of more the one that ends first goes."""


class ShareInvalid(AuthRequired):
    """The link is not valid, or has ended; ask for another one."""

    code = "SHARE_INVALID"


@record
class Share:
    """until: Unix ms; maker: of whoever made it."""

    session_id: str
    until: int
    maker: Standing = unending


class Shares:
    """Kept hashed, in memory alone: links end with the daemon. A token tells on which host it counts, so that no other
    one has to be asked about tokens that somebody makes up."""

    def __init__(self, clock: Clock, here: str) -> None:
        """here: the name of this host."""
        self._clock = clock
        self._here = here
        self._shares: dict[str, Share] = {}

    def new(self, session_id: str, lifetime: int, maker: Standing = unending) -> tuple[str, Share]:
        """The token of a link that lasts that many seconds."""
        token = f"{PREFIX}{secrets.token_urlsafe(32)}.{_mark(self._here)}"
        share = Share(session_id, self._clock.now_ms() + lifetime * 1000, maker)
        self._shares = {digest: kept for digest, kept in self._shares.items() if not self._over(kept)}
        while len(self._shares) >= REMEMBERED:
            del self._shares[min(self._shares, key=lambda digest: self._shares[digest].until)]
        self._shares[_digest(token)] = share
        return token, share

    async def find(self, token: str) -> Share:
        """Raises `ShareInvalid`; another `JackfieldError` while nobody can say whether its maker's credential still
        counts."""
        digest = _digest(token)
        share = self._shares.get(digest)
        if share is None or self._over(share):
            raise ShareInvalid
        try:
            await share.maker()
        except AuthRequired:
            self._shares.pop(digest, None)
            raise ShareInvalid from None
        return share

    def end(self, session_id: str) -> int:
        """End every link to the session; how many there were."""
        before = len(self._shares)
        self._shares = {digest: kept for digest, kept in self._shares.items() if kept.session_id != session_id}
        return before - len(self._shares)

    def _over(self, share: Share) -> bool:
        return share.until <= self._clock.now_ms()


def host_of(token: str, hosts: Sequence[Host]) -> Host | None:
    """The one of them on which the token counts, if it does anywhere."""
    mark = token.rpartition(".")[2]
    return next((host for host in hosts if _mark(host.name) == mark), None)


def _mark(host: str) -> str:
    return hashlib.sha256(host.encode()).hexdigest()[:_MARK]


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
