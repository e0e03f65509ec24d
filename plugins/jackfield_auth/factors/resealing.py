"""Secrets of authenticator apps under a new master key."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.resealing import Resealed, SealedValues, reseal_stored
from jackfield.api.storage import Entry
from jackfield_auth.factors.records import UserEntries, content

KIND = "totp"
_PAGE = 100


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [FactorSecrets(context)]


class FactorSecrets:
    """`jackfield.api.resealing.SealedValues`."""

    name = "secrets of authenticator apps"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._entries = UserEntries(KIND, lambda: context.store)

    async def reseal(self) -> Resealed:
        done, lost, after = 0, list[str](), None
        while found := await self._page(after):
            for entry in found:
                read, write = partial(self._read, entry.id), partial(self._write, entry.id)
                if await reseal_stored(self._context.secrets, _sealed(entry), read, write):
                    done += 1
                else:
                    lost.append(f"The authenticator app of the user {entry.id} is opened by no key; reset it.")
            after = (found[-1].place, found[-1].id)
        return Resealed(done, tuple(lost))

    async def _page(self, after: tuple[int, str] | None) -> Sequence[Entry]:
        return await self._context.store.entries(KIND, "", after=after, limit=_PAGE, newest_first=False)

    async def _read(self, user_id: str) -> bytes | None:
        found = await self._entries.find(user_id)
        return None if found is None else _sealed(found)

    async def _write(self, user_id: str, before: bytes, sealed: bytes) -> bool:
        found = await self._entries.find(user_id)
        if found is None or _sealed(found) != before:
            return False
        return await self._entries.change(found, {**content(found), "sealed": base64.b64encode(sealed).decode()})


def _sealed(entry: Entry) -> bytes:
    return base64.b64decode(content(entry)["sealed"])
