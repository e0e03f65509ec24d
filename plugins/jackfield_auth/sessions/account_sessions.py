"""The sessions of one user, as people see and end them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import OWNER
from jackfield_auth.sessions.browser_sessions import BrowserSessions, ListedSession
from jackfield_auth.users.accounts import UserAccounts


class AccountSessions:
    """The daemon's own user has sessions too, and no tokens."""

    def __init__(self, accounts: UserAccounts, sessions: BrowserSessions) -> None:
        self._accounts = accounts
        self._sessions = sessions

    async def of(self, user_id: str) -> Sequence[ListedSession]:
        """Raises `NotFound` for an unknown user."""
        return await self._sessions.of_user(user_id, await self._version(user_id))

    async def end_all(self, user_id: str, keep: str) -> int:
        """All but the one of this id, and every token; how many sessions. Raises `NotFound`."""
        found = [one for one in await self.of(user_id) if one.id != keep]
        if user_id != OWNER.user_id:
            user = await self._accounts.revoke(user_id)
            if keep:
                await self._sessions.continue_as(keep, user_id, user.version)
        for one in found:
            await self._sessions.end_listed(user_id, one.id)
        return len(found)

    async def _version(self, user_id: str) -> int:
        return 0 if user_id == OWNER.user_id else (await self._accounts.get(user_id)).version
