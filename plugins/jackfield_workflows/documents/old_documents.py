"""Seals the secrets of documents that an earlier version stored, while the daemon runs.

The store knows what is left: whatever ends this, the next start goes on there. Until its turn a document is read as it
is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.object_references import load
from jackfield.api.old_documents import OldDocument, OldDocuments

if TYPE_CHECKING:
    from jackfield_workflows.documents.sealing import SealedSecrets

_AT_ONCE = 20
"""Documents of one transaction: it may hold up writers for some milliseconds."""
_PAUSE_S = 5.0
"""Until the store is asked again."""
_TRIES = 20
_SEALING = "jackfield_workflows.documents.sealing:SealedSecrets"


async def seal_old_documents(context: PluginContext) -> None:
    """Ends when none is left."""
    store = context.store
    if not isinstance(store, OldDocuments):
        return
    done = 0
    while True:
        try:
            found = await store.old_documents(_AT_ONCE)
            if not found:
                break
            await store.put_old_documents(await _sealed(context, found))
            done += len(found)
        except StoreUnavailable:
            await context.clock.sleep(_PAUSE_S)
    if done:
        await _wipe(context, store)
        context.log.info("The secrets of %d stored documents are sealed now.", done)


async def _sealed(context: PluginContext, found: list[OldDocument]) -> list[OldDocument]:
    # Loaded when there is something to do, which is once in the life of a store.
    sealing = await asyncio.to_thread(lambda: cast("type[SealedSecrets]", load(_SEALING))(context))
    return [OldDocument(each.key, await sealing.sealed(each.document)) for each in found]


async def _wipe(context: PluginContext, store: OldDocuments) -> None:
    for _ in range(_TRIES):
        try:
            await store.wipe()
        except StoreUnavailable:
            await context.clock.sleep(_PAUSE_S)
        else:
            return
    context.log.warning("The store's log of writes may have secrets as they were until the daemon stops.")
