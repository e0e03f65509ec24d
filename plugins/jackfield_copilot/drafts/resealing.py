"""Drafts under a new master key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from jackfield.api.context import PluginContext
from jackfield.api.resealing import Resealed, SealedValues, reseal_stored

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
        store = self._context.store

        async def read() -> bytes | None:
            found = await store.draft(draft_id)
            return None if found is None else found.sealed

        return await reseal_stored(self._context.secrets, await read(), read, partial(store.reseal_draft, draft_id))
