"""Secrets of documents under a new master key: of every version, and of runs that are kept."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.old_documents import OldDocuments
from jackfield.api.resealing import Resealed, SealedValues
from jackfield_workflows.documents.old_documents import seal_all_old


def sealed_values(context: PluginContext) -> Sequence[SealedValues]:
    return [SealedDocuments(context)]


class SealedDocuments:
    """`jackfield.api.resealing.SealedValues`. The store notes what is left, so that the daemon goes on if this was
    interrupted."""

    name = "documents of workflows and runs"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def reseal(self) -> Resealed:
        if not isinstance(self._context.store, OldDocuments):
            told = f"The store {self._context.store.name} cannot give all documents: their secrets stay as they are."
            return Resealed(0, (told,))
        await self._context.store.all_are_old()
        done, lost = await seal_all_old(self._context)
        return Resealed(done, tuple(lost))
