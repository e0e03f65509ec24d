"""Credentials under a new master key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.resealing import Resealed, SealedValues, reseal_stored
from jackfield.api.storage import Credential

_PAGE = 100


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [SealedCredentials(context)]


class SealedCredentials:
    """`jackfield.api.resealing.SealedValues`."""

    name = "credentials"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def reseal(self) -> Resealed:
        done, lost, offset = 0, list[str](), 0
        while (page := await self._context.store.credentials(offset, _PAGE)).rows:
            for credential in page.rows:
                if await self._reseal(credential):
                    done += 1
                else:
                    lost.append(f"The credential '{credential.name}' ({credential.id}) is opened by no key.")
            offset += len(page.rows)
        return Resealed(done, tuple(lost))

    async def _reseal(self, found: Credential) -> bool:
        store = self._context.store

        async def read() -> bytes | None:
            again = await store.credential(found.id)
            return None if again is None else again.sealed

        return await reseal_stored(
            self._context.secrets, found.sealed, read, partial(store.reseal_credential, found.id)
        )
