"""Seals the secrets of documents that an earlier version stored, or that were sealed with an earlier key, while the
daemon runs.

The store knows what is left: whatever ends this, the next start goes on there. Until its turn a document is read as it
is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.object_references import load
from jackfield.api.old_documents import OldDocument, OldDocuments
from jackfield.api.workflows import Document

if TYPE_CHECKING:
    from jackfield_workflows.documents.sealing import SealedSecrets

_AT_ONCE = 20
"""Documents of one transaction: it may hold up writers for some milliseconds."""
_PAUSE_S = 5.0
"""Until the store is asked again."""
_TRIES = 20
_TOLD = 100
"""Sentences at most; the log has all."""
_SEALING = "jackfield_workflows.documents.sealing:SealedSecrets"


async def seal_old_documents(context: PluginContext) -> None:
    """Ends when none is left. The log names documents that no key opens."""
    await seal_all_old(context)


async def seal_all_old(context: PluginContext) -> tuple[int, Sequence[str]]:
    """Ends when none is left; gives how many there were, and one sentence for each that no key opens, which stays as it
    is."""
    store = context.store
    if not isinstance(store, OldDocuments):
        return 0, []
    done, lost = 0, list[str]()
    while True:
        try:
            found = await store.old_documents(_AT_ONCE)
            if not found:
                break
            await store.put_old_documents(await _sealed(context, found, lost))
            done += len(found)
        except StoreUnavailable:
            await context.clock.sleep(_PAUSE_S)
    if done:
        await _wipe(context, store)
        context.log.info("The secrets of %d stored documents are sealed now.", done)
    return done - len(lost), lost


async def _sealed(context: PluginContext, found: list[OldDocument], lost: list[str]) -> list[OldDocument]:
    # Loaded when there is something to do, which is once in the life of a store.
    sealing = await asyncio.to_thread(lambda: cast("type[SealedSecrets]", load(_SEALING))(context))
    return [OldDocument(each.key, await _one(context, sealing, each, lost)) for each in found]


async def _one(context: PluginContext, sealing: SealedSecrets, each: OldDocument, lost: list[str]) -> Document:
    try:
        return await sealing.resealed(each.document)
    except ConfigurationError:
        ident, number = each.key
        of = f"of the workflow {ident}, version {number}," if ident else f"of a run ({number})"
        sentence = f"The secrets {of} were sealed with a key that is not there any more."
        context.log.error(sentence)
        if len(lost) < _TOLD:
            lost.append(sentence)
        return each.document


async def _wipe(context: PluginContext, store: OldDocuments) -> None:
    for _ in range(_TRIES):
        try:
            await store.wipe()
        except StoreUnavailable:
            await context.clock.sleep(_PAUSE_S)
        else:
            return
    context.log.warning("The store's log of writes may have secrets as they were until the daemon stops.")
