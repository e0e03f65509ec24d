"""Users' mail addresses. A user who has set none has the user name, where that is an address."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from jackfield.api.clock import Clock
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.logins import folded_address
from jackfield.api.mail import is_address
from jackfield.api.storage import Entry, Store, User

KIND = "account-mail"
"""Entries; their id is the user's, their parent the address's place."""
MOST_FOUND = 5
"""Users of one address who get a mail."""


class MailAddresses:
    """Entries of the store."""

    def __init__(self, store: Callable[[], Store], clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def of(self, user: User) -> str:
        """Empty: there is none."""
        entry = await self._store().entry(KIND, user.id)
        return fallback(user) if entry is None else entry.data.decode()

    async def users(self, typed: str) -> Sequence[User]:
        """The user of this name, else those with this address."""
        named = await self._store().user_by_name(typed)
        if named is not None or not is_address(typed):
            return [] if named is None else [named]
        kept = await self._store().entries(KIND, place_of(typed), after=None, limit=MOST_FOUND, newest_first=False)
        found = [await self._store().user(entry.id) for entry in kept]
        return [user for user in found if user is not None]

    async def put(self, user_id: str, address: str) -> None:
        """Empty: the user has none from now on. Raises `InvalidInput`, `Conflict` for a change at the same time."""
        if not address:
            await self.forget(user_id)
            return
        check_address(address)
        before = await self._store().entry(KIND, user_id)
        revision = 0 if before is None else before.revision
        entry = Entry(KIND, user_id, place_of(address), self._clock.now_ms(), revision + 1, address.encode())
        if not await self._store().put_entry(entry, revision or None):
            raise Conflict("The mail address of this user was changed elsewhere at the same time; try again.")

    async def forget(self, user_id: str) -> None:
        """Take it from the user."""
        await self._store().delete_entry(KIND, user_id)


def place_of(address: str) -> str:
    """Where the store finds the users of an address at once; an address may be too long for a parent."""
    return hashlib.sha256(folded_address(address).encode()).hexdigest()


def fallback(user: User) -> str:
    """The address of a user who has set none; empty: none. The name of another login's user says who it is there, and
    may look like an address without being one."""
    return user.username if not user.provider and is_address(user.username) else ""


def check_address(address: str) -> None:
    """Raises `InvalidInput`."""
    if not is_address(address):
        raise InvalidInput("Give one mail address, such as ada@example.com.", details={"mail": "is no address"})
