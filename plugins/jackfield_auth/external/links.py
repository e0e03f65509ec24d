"""Local users that are linked to the subject of another login."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from jackfield.api.logins import folded_address
from jackfield.api.storage import Entry, Store, User
from jackfield_auth.users.accounts import LINK_KIND


class LoginLinks:
    """A link lasts as long as its user. It is found by login and subject, byte by byte."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    async def user(self, provider: str, subject: str) -> User | None:
        """The user that the subject is linked to."""
        found = await self._store().entry(LINK_KIND, link_id(provider, subject))
        return None if found is None else await self._store().user(found.parent)

    async def link(self, provider: str, subject: str, user: User) -> None:
        """From now on. An earlier link of the subject, whose user is gone, is replaced."""
        key = link_id(provider, subject)
        present = await self._store().entry(LINK_KIND, key)
        before = None if present is None else present.revision
        await self._store().put_entry(Entry(LINK_KIND, key, user.id, 0, (before or 0) + 1, b""), before)

    async def by_email(self, email: str) -> User | None:
        """The local user who is called by this address, see `folded_address`."""
        wanted = folded_address(email)
        named = [user for user in await self._store().users() if folded_address(user.username) == wanted]
        local = [user for user in named if not user.provider]
        return local[0] if len(local) == 1 else None


def link_id(provider: str, subject: str) -> str:
    """A login's name has no NUL."""
    return hashlib.sha256(f"{provider}\0{subject}".encode()).hexdigest()
