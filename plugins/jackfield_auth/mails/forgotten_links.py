"""Links with which users who have forgotten their password set another one. The daemon keeps a link as its digest."""

from __future__ import annotations

import secrets
from typing import cast

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.logins.refusals import LinkOver
from jackfield_auth.settings import InvitationSettings

KIND = "forgotten-password"
PREFIX = "jf_fp_"
_MOST = 10_000
"""Open links of all users together; of more, those that end first go."""


@record
class ForgottenLink:
    """version: of the user when it was made; any other password or end of sessions ends it. ends: Unix ms."""

    user_id: str
    version: int
    ends: int


class ForgottenLinks:
    """Memos: they end by themselves, and with the daemon where the store is for it alone."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(InvitationSettings)

    async def make(self, user: User) -> tuple[str, ForgottenLink]:
        """The token, which is nowhere else. Earlier links stay: nobody ends a user's link by asking for another."""
        token = PREFIX + secrets.token_urlsafe(32)
        ends = self._context.clock.now_ms() + self._settings.forgotten_lifetime * 1000
        link = ForgottenLink(user.id, user.version, ends)
        await self._keep(token, link)
        return token, link

    async def find(self, token: str) -> tuple[ForgottenLink, User]:
        """Raises `LinkOver`."""
        return await self._read(await self._memos.memo(KIND, kept_digest(token)))

    async def take(self, token: str) -> tuple[ForgottenLink, User]:
        """Use it up. Raises `LinkOver`, also when somebody was quicker."""
        return await self._read(await self._memos.take_memo(KIND, kept_digest(token)))

    async def put_back(self, token: str, link: ForgottenLink) -> None:
        """The act that it was used for did not come about."""
        await self._keep(token, link)

    async def end(self, token: str) -> None:
        """The mail with it did not go out."""
        await self._memos.take_memo(KIND, kept_digest(token))

    async def end_all(self, user_id: str) -> None:
        """Those of a user."""
        await self._memos.end_memos(KIND, user_id)

    async def _keep(self, token: str, link: ForgottenLink) -> None:
        left = (link.ends - self._context.clock.now_ms()) / 1000
        if left > 0:
            data = jsontext.dumps([link.user_id, link.version, link.ends])
            room = Room(_MOST, link.user_id, self._settings.forgotten_mails)
            await self._memos.put_memo(KIND, kept_digest(token), data, left, room)

    async def _read(self, data: bytes | None) -> tuple[ForgottenLink, User]:
        if data is None:
            raise LinkOver
        link = ForgottenLink(*cast("tuple[str, int, int]", tuple(cast("list[object]", jsontext.loads(data)))))
        user = await self._context.store.user(link.user_id)
        if user is None or user.disabled or user.provider or user.version != link.version:
            raise LinkOver
        if link.ends <= self._context.clock.now_ms():
            raise LinkOver
        return link, user

    @property
    def _memos(self) -> Memos:
        return self._context.port(Memos)
