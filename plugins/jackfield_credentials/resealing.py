"""Credentials under a new encryption key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.records import replace
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

    async def _reseal(self, credential: Credential) -> bool:
        try:
            plain = await asyncio.to_thread(self._context.secrets.open, credential.sealed)
        except ValueError:
            return False
        sealed = await asyncio.to_thread(self._context.secrets.seal, plain)
        await self._context.store.put_credential(replace(credential, sealed=sealed))
        return True
