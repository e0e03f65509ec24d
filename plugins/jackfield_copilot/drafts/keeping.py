"""Drafts in the store: sealed, of a bounded number and size, each change on top of the revision that was read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, DataDamaged, InvalidInput, NotFound, PayloadTooLarge
from jackfield.api.ids import is_uuid
from jackfield.api.json_values import Json
from jackfield.api.records import replace
from jackfield.api.storage.drafts import StoredDraft
from jackfield_copilot.drafts.model import Draft, about_of, contents_of, draft_of, row_of
from jackfield_copilot.settings import CopilotSettings

TOPIC = "drafts"
_TRIES = 10
_IDLE_MS = 3_600_000
"""A draft without changes gives way to another one when nothing has happened to it for so long."""
_MOST_MORE = 4
"""That many times its largest document a draft takes: base, input of a run, and what surrounds them."""
DraftChange: TypeAlias = "Callable[[Draft], Draft]"


class DraftKeeper:
    """All methods raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(CopilotSettings)

    async def add(self, draft: Draft) -> Draft:
        """Raises `Conflict` (code `TOO_MANY_DRAFTS`), `PayloadTooLarge`."""
        stored = await asyncio.to_thread(self._sealed, draft)
        most, store = self._settings.drafts, self._context.store
        if not await store.add_draft(stored, most) and not (
            await self._without_idle() and await store.add_draft(stored, most)
        ):
            raise Conflict(
                f"There are {self._settings.drafts} drafts already; discard one, or raise copilot.drafts.",
                code="TOO_MANY_DRAFTS",
            )
        self.tell(draft)
        return draft

    async def _without_idle(self) -> bool:
        """Make room: the draft goes that has changed nothing for longest. False: there is none."""
        page = await self._context.store.drafts(None, None, offset=0, limit=self._settings.drafts)
        before = self._context.clock.now_ms() - _IDLE_MS
        for row in reversed(page.rows):
            if row.updated_at < before and not about_of(row).get("changeCount"):
                return await self._context.store.delete_draft(row.id)
        return False

    async def find(self, draft_id: str) -> Draft:
        """Raises `NotFound`, `DataDamaged`."""
        stored = await self._context.store.draft(draft_id) if is_uuid(draft_id) else None
        if stored is None:
            raise NotFound("There is no draft with this id.", code="DRAFT_NOT_FOUND")
        return await asyncio.to_thread(self._opened, stored)

    async def change(self, draft_id: str, work: DraftChange, revision: int | None = None) -> Draft:
        """The draft as `work` makes it, which may be asked again. revision: that was read. Raises `NotFound`,
        `PayloadTooLarge`, `Conflict` (code `DRAFT_CHANGED`), and what `work` raises."""
        for _ in range(_TRIES):
            before = await self.find(draft_id)
            require_revision(before, revision)
            made = replace(work(before), revision=before.revision + 1, updated_at=self._context.clock.now_ms())
            stored = await asyncio.to_thread(self._sealed, made)
            if await self._context.store.change_draft(stored, before.revision):
                self.tell(made)
                return made
        raise Conflict("Others change this draft all the time; try again.", code="DRAFT_CHANGED")

    async def delete(self, draft_id: str) -> None:
        """Raises `NotFound`."""
        row = await self._context.store.draft(draft_id) if is_uuid(draft_id) else None
        if row is None or not await self._context.store.delete_draft(draft_id):
            raise NotFound("There is no draft with this id.", code="DRAFT_NOT_FOUND")
        data = {"id": draft_id, "workflowId": row.row.workflow_id}
        self._context.events.publish(TOPIC, "draft.deleted", data)

    def tell(self, draft: Draft) -> None:
        data = {
            "id": draft.id,
            "workflowId": draft.workflow_id,
            "revision": draft.revision,
            "changeCount": draft.change_count,
            "title": draft.title,
        }
        self._context.events.publish(TOPIC, "draft.saved", data)

    def _sealed(self, draft: Draft) -> StoredDraft:
        most = self._settings.draft_bytes
        if len(jsontext.dumps(draft.document)) > most:
            raise PayloadTooLarge(f"The document of a draft may have at most {most} bytes (copilot.draft_bytes).")
        contents = contents_of(draft)
        if len(contents) > _MOST_MORE * most:
            raise PayloadTooLarge("The draft and the workflow that it is of are too large (copilot.draft_bytes).")
        return StoredDraft(row_of(draft), self._context.secrets.seal(contents))

    def _opened(self, stored: StoredDraft) -> Draft:
        try:
            opened = self._context.secrets.open(stored.sealed)
        except ValueError:
            raise DataDamaged(f"No key opens the draft {stored.row.id}; discard it.") from None
        return draft_of(stored, opened)


def require_revision(draft: Draft, revision: int | None) -> None:
    """Raises `Conflict` (code `DRAFT_CHANGED`)."""
    if revision is not None and draft.revision != revision:
        raise Conflict(
            f"The draft has the revision {draft.revision} by now, not {revision}; read it again.", code="DRAFT_CHANGED"
        )


def require_document(value: object) -> dict[str, object]:
    """Raises `InvalidInput`."""
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        raise InvalidInput(
            "The document of a draft is a workflow.", details={"document": "give an object with nodes and connections"}
        )
    details = dict(_odd(value))
    if details:
        raise InvalidInput("The document of a draft is a workflow.", details=details)
    return value


def _odd(document: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:  # JSON
    """The reason that keeps it from being taken apart, and the first node that does. A draft may be wrong in every
    other way."""
    for key in ("connections", "settings", "pinData"):
        if not isinstance(document.get(key) or {}, dict):
            yield f"document.{key}", "give an object"
    for index, node in enumerate(document["nodes"]):
        if not isinstance(node, dict) or not isinstance(node.get("name"), str) or not node["name"]:
            yield f"document.nodes[{index}]", "give an object with a name that is a text"
            return
