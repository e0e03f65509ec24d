"""The stored form of passkeys. Nothing of it is secret: the store has public keys alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from jackfield.api import jsontext
from jackfield.api.errors import InvalidCredentials
from jackfield.api.records import record, replace
from jackfield.api.storage import Entry, Store

KIND = "passkey"
_PAGE = 100


@record
class PasskeyScope:
    """rp_id: the domain that a passkey is good for; origin: of the page."""

    rp_id: str
    origin: str


@record
class Passkey:
    """`id`: by which it is renamed and removed. `credential_id` and `public_key`: base64url. `counter`: of its
    signatures, 0 where the authenticator counts none. `is_synced`: whether it is kept on further devices. Times: Unix
    ms."""

    id: str
    user_id: str
    name: str
    rp_id: str
    credential_id: str
    public_key: str
    counter: int
    is_synced: bool
    created_at: int
    used_at: int
    revision: int = 1


def invalid() -> InvalidCredentials:
    """The one answer to every proof that is none: which part of it is wrong is nobody's matter."""
    return InvalidCredentials("The passkey's answer is not valid for this login.")


def id_of(credential_id: str) -> str:
    """An authenticator's ids may be longer than an entry's."""
    return hashlib.sha256(credential_id.encode("utf-8", "replace")).hexdigest()[:32]


class PasskeyBook:
    """The passkeys of all users, as entries of the store."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    async def find(self, credential_id: str) -> Passkey | None:
        return await self.named(id_of(credential_id))

    async def named(self, passkey_id: str) -> Passkey | None:
        entry = await self._store().entry(KIND, passkey_id)
        return None if entry is None else _passkey(entry)

    async def of_user(self, user_id: str) -> list[Passkey]:
        """The oldest first."""
        found: list[Passkey] = []
        after: tuple[int, str] | None = None
        while page := await self._page(user_id, after):
            found += map(_passkey, page)
            after = (page[-1].place, page[-1].id)
        return found

    async def count(self, user_id: str) -> int:
        return await self._store().entry_count(KIND, user_id)

    async def add(self, passkey: Passkey) -> bool:
        """False: it is there already."""
        return await self._store().put_entry(_entry(passkey), None)

    async def change(self, passkey: Passkey) -> bool:
        """passkey: as it was read, with what is to be changed. False: it was changed meanwhile, or is gone."""
        changed = replace(passkey, revision=passkey.revision + 1)
        return await self._store().put_entry(_entry(changed), passkey.revision)

    async def delete(self, passkey_id: str) -> bool:
        return await self._store().delete_entry(KIND, passkey_id)

    async def delete_all(self, user_id: str) -> None:
        await self._store().delete_entries(KIND, user_id)

    async def _page(self, user_id: str, after: tuple[int, str] | None) -> Sequence[Entry]:
        return await self._store().entries(KIND, user_id, after=after, limit=_PAGE, newest_first=False)


def _entry(passkey: Passkey) -> Entry:
    data = jsontext.dumps(
        {
            "name": passkey.name,
            "rp_id": passkey.rp_id,
            "credential_id": passkey.credential_id,
            "public_key": passkey.public_key,
            "counter": passkey.counter,
            "is_synced": passkey.is_synced,
            "used_at": passkey.used_at,
        }
    )
    return Entry(KIND, passkey.id, passkey.user_id, passkey.created_at, passkey.revision, data)


def _passkey(entry: Entry) -> Passkey:
    found = jsontext.loads(entry.data)
    if not isinstance(found, dict):
        raise TypeError("a passkey is damaged")
    return Passkey(
        id=entry.id,
        user_id=entry.parent,
        created_at=entry.place,
        revision=entry.revision,
        name=str(found["name"]),
        rp_id=str(found["rp_id"]),
        credential_id=str(found["credential_id"]),
        public_key=str(found["public_key"]),
        counter=int(str(found["counter"])),
        is_synced=bool(found["is_synced"]),
        used_at=int(str(found["used_at"])),
    )
