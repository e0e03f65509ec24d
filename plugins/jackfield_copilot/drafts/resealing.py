"""Drafts under a new master key."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.resealing import Resealed, SealedValues

_PAGE = 100


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [SealedDrafts(context)]


class SealedDrafts:
    """`jackfield.api.resealing.SealedValues`."""

    name = "drafts of workflows"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def reseal(self) -> Resealed:
        done, lost, offset = 0, list[str](), 0
        while (page := await self._context.store.drafts(None, None, offset=offset, limit=_PAGE)).rows:
            for row in page.rows:
                if await self._reseal(row.id):
                    done += 1
                else:
                    lost.append(f"The draft {row.id} is opened by no key.")
            offset += len(page.rows)
        return Resealed(done, tuple(lost))

    async def _reseal(self, draft_id: str) -> bool:
        """Until it is done or deleted: a running daemon may write it meanwhile."""
        store, secrets = self._context.store, self._context.secrets
        while (found := await store.draft(draft_id)) is not None and not secrets.is_current(found.sealed):
            sealed = await asyncio.to_thread(self._resealed, found.sealed)
            if sealed is None:
                return False
            if await store.reseal_draft(draft_id, found.sealed, sealed):
                break
        return True

    def _resealed(self, sealed: bytes) -> bytes | None:
        try:
            return self._context.secrets.seal(self._context.secrets.open(sealed))
        except ValueError:
            return None
