"""Credentials under a new master key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.resealing import Resealed, SealedValues
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

    async def _reseal(self, found: Credential | None) -> bool:
        """Until it is done or deleted: a running daemon may write it meanwhile."""
        store = self._context.store
        while found is not None and not self._context.secrets.is_current(found.sealed):
            sealed = await asyncio.to_thread(self._resealed, found.sealed)
            if sealed is None:
                return False
            if await store.reseal_credential(found.id, found.sealed, sealed):
                break
            found = await store.credential(found.id)
        return True

    def _resealed(self, sealed: bytes) -> bytes | None:
        try:
            return self._context.secrets.seal(self._context.secrets.open(sealed))
        except ValueError:
            return None
