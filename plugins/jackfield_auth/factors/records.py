"""Entries of the store that a user has one of per kind: the secret of an authenticator app, the recovery codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jackfield.api import jsontext
from jackfield.api.records import replace
from jackfield.api.storage import Entry, Store


class UserEntries:
    """One JSON object per user of a kind. Changes are made on what was read, so that of two at once, at two daemons
    too, one has happened."""

    def __init__(self, kind: str, store: Callable[[], Store]) -> None:
        self.kind = kind
        self._store = store

    async def find(self, user_id: str) -> Entry | None:
        return await self._store().entry(self.kind, user_id)

    async def put(self, user_id: str, data: Mapping[str, object]) -> None:
        """In place of what there is."""
        while True:
            found = await self.find(user_id)
            revision = found.revision + 1 if found is not None else 1
            entry = Entry(self.kind, user_id, "", 0, revision, jsontext.dumps(data))
            if await self._store().put_entry(entry, None if found is None else found.revision):
                return

    async def change(self, found: Entry, data: Mapping[str, object]) -> bool:
        """False: it was changed meanwhile."""
        changed = replace(found, revision=found.revision + 1, data=jsontext.dumps(data))
        return await self._store().put_entry(changed, found.revision)

    async def delete(self, user_id: str) -> bool:
        return await self._store().delete_entry(self.kind, user_id)


def content(entry: Entry) -> dict[str, Any]:  # Any: JSON that this plugin has written
    """The content of an entry."""
    found = jsontext.loads(entry.data)
    return found if isinstance(found, dict) else {}
