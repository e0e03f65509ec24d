"""Logins that have begun and need one thing more: a second factor, or a user who sets one up first."""

from __future__ import annotations

import base64
import secrets
from typing import cast

from jackfield.api import jsontext
from jackfield.api.auth import Peer
from jackfield.api.context import PluginContext
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record, replace
from jackfield_auth.logins.refusals import LoginOver
from jackfield_auth.settings import SecondFactorSettings

KIND = "pending-login"
PREFIX = "jf_pl_"
_OF_ONE_USER = 10


@record
class PendingLogin:
    """`user_id` and `version`: the user's at the first step. `typed`: the name that was given. `provider`: the login,
    empty for our own table. `peer`: whose process began. `has_to_set_up`: the user has no second factor, and needs one.
    `factor` and `kept`: of the question that was put last."""

    user_id: str
    version: int
    typed: str
    provider: str
    peer: Peer
    has_to_set_up: bool
    factor: str = ""
    kept: bytes = b""


class PendingLogins:
    """Kept sealed under the digest of a token, at whichever daemon of the store. Bounded: of too many, or too many of
    one user, the oldest end."""

    def __init__(self, context: PluginContext, settings: SecondFactorSettings) -> None:
        self._context = context
        self.lifetime = settings.timeout
        self._room = Room(settings.pending)

    @property
    def _memos(self) -> Memos:
        return self._context.port(Memos)

    async def add(self, login: PendingLogin) -> str:
        """Its token, which is nowhere else."""
        token = PREFIX + secrets.token_urlsafe(32)
        room = replace(self._room, part=login.user_id, most_of_part=_OF_ONE_USER)
        await self._memos.put_memo(KIND, kept_digest(token), self._sealed(login), self.lifetime, room)
        return token

    async def find(self, token: str, peer: Peer) -> PendingLogin:
        """Raises `LoginOver`, also for another's process than the one that began."""
        return (await self._read(token, peer))[0]

    async def ask(self, token: str, peer: Peer, factor: str, kept: bytes) -> None:
        """Note the question that was put. Raises `LoginOver`."""
        login, sealed = await self._read(token, peer)
        await self._change(token, sealed, replace(login, factor=factor, kept=kept))

    async def take_kept(self, token: str, peer: Peer, factor: str) -> bytes:
        """The data that the last question to this factor has kept, for one answer. Raises `LoginOver`."""
        login, sealed = await self._read(token, peer)
        if not login.kept or login.factor != factor:
            return b""
        await self._change(token, sealed, replace(login, factor="", kept=b""))
        return login.kept

    async def take(self, token: str) -> None:
        """Use it up. Raises `LoginOver` when somebody was quicker."""
        if await self._memos.take_memo(KIND, kept_digest(token)) is None:
            raise LoginOver

    async def _read(self, token: str, peer: Peer) -> tuple[PendingLogin, bytes]:
        sealed = await self._memos.memo(KIND, kept_digest(token)) if token.startswith(PREFIX) else None
        if sealed is None:
            raise LoginOver
        login = _loaded(self._context.secrets.open(sealed))
        if login.peer != peer:
            raise LoginOver
        return login, sealed

    async def _change(self, token: str, before: bytes, login: PendingLogin) -> None:
        if not await self._memos.change_memo(KIND, kept_digest(token), before, self._sealed(login), self.lifetime):
            raise LoginOver

    def _sealed(self, login: PendingLogin) -> bytes:
        kept = base64.b64encode(login.kept).decode()
        row = [login.user_id, login.version, login.typed, login.provider, login.peer, login.has_to_set_up, login.factor]
        return self._context.secrets.seal(jsontext.dumps([*row, kept]))


def _loaded(data: bytes) -> PendingLogin:
    user_id, version, typed, provider, peer, has_to_set_up, factor, kept = cast("list[str]", jsontext.loads(data))
    return PendingLogin(
        user_id,
        int(version),
        typed,
        provider,
        cast("Peer", peer),
        bool(has_to_set_up),
        factor,
        base64.b64decode(kept),
    )
