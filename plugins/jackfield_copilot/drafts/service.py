"""The acts on a draft."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, cast

from jackfield.api.asgi import Scope
from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, JackfieldError, NotFound, PayloadTooLarge
from jackfield.api.ids import is_uuid, new_id
from jackfield.api.json_values import Json
from jackfield.api.own_calls import OwnAnswer, OwnCalls
from jackfield.api.records import record, replace
from jackfield.api.saved_documents import SavedDocuments
from jackfield_copilot.changes.choosing import Merged, chosen_of, merged, settled, unchanged
from jackfield_copilot.changes.listing import Compared, changes_of, compared
from jackfield_copilot.changes.units import without_stored
from jackfield_copilot.drafts.keeping import DraftKeeper, require_document, require_revision
from jackfield_copilot.drafts.model import Draft, DraftOrigin, about_of

EMPTY: Mapping[str, Any] = {"name": "Untitled workflow", "nodes": [], "connections": {}, "settings": {}}
"""A draft of no workflow begins with it."""
_LONGEST_TITLE = 200
_LOOKED_AT = 50
"""Of the latest drafts of a workflow."""


@record
class Against:
    """A draft and the workflow as it is now. version: None where it has no workflow; document: {} then."""

    draft: Draft
    document: Mapping[str, Any]  # JSON
    version: int | None = None
    active: bool = False
    gone: bool = False

    def compared(self) -> Compared:
        return compared(self.draft.base, self.draft.document, self.document)


@record
class Accepted:
    """former: version of the workflow before; None: it is new."""

    draft: Against
    ids: Sequence[str]
    workflow: Mapping[str, Any]  # JSON
    former: int | None


class Drafts:
    """One per daemon. All methods raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.keeper = DraftKeeper(context)

    async def create(
        self,
        workflow_id: str | None,
        author: str,
        *,
        title: str = "",
        document: Mapping[str, Any] | None = None,  # JSON
        origin: DraftOrigin | None = None,
    ) -> Draft:
        """Raises `NotFound` for an unknown workflow, `Conflict` when there are too many drafts, `InvalidInput`."""
        now = self._context.clock.now_ms()
        base: Mapping[str, Any] = {}
        version = None
        if workflow_id is not None:
            shown = await self._shown(workflow_id)
            if shown is None:
                raise NotFound("There is no workflow with this id.")
            base, version = without_stored(shown), cast("int", shown["version"])
        given = dict(base or EMPTY) if document is None else without_stored(require_document(document))
        made = Draft(
            new_id(),
            workflow_id,
            titled(title) or str(given.get("name", "")),
            author,
            origin or DraftOrigin(),
            1,
            now,
            now,
            with_ids(given, base),
            base,
            version,
        )
        return await self.keeper.add(await self._counted(made, base))

    async def against(self, draft: Draft) -> Against:
        """Raises what reading the workflow raises."""
        if draft.workflow_id is None:
            return Against(draft, {})
        shown = await self._shown(draft.workflow_id)
        if shown is None:
            return Against(draft, {}, gone=True)
        return Against(draft, without_stored(shown), cast("int", shown["version"]), shown.get("active") is True)

    async def _shown(self, workflow_id: str) -> dict[str, Any] | None:  # JSON
        try:
            return await self._context.port(SavedDocuments).shown(workflow_id) if is_uuid(workflow_id) else None
        except NotFound:
            return None

    async def write(
        self, draft_id: str, document: Mapping[str, Any], *, revision: int | None = None, title: str | None = None
    ) -> Draft:
        """Another document. Raises `NotFound`, `InvalidInput`, `PayloadTooLarge`, `Conflict` (code `DRAFT_CHANGED`)."""
        given = without_stored(require_document(document))
        found = await self.keeper.find(draft_id)
        now = await self.against(found)
        made = replace(
            found, document=with_ids(given, found.base), title=found.title if title is None else titled(title)
        )
        counted = await self._counted(made, now.document)

        def work(before: Draft) -> Draft:
            require_revision(before, found.revision)
            return replace(before, document=counted.document, title=counted.title, change_count=counted.change_count)

        return await self.keeper.change(draft_id, work, revision)

    async def _counted(self, draft: Draft, current: Mapping[str, Any]) -> Draft:  # JSON
        found = await asyncio.to_thread(lambda: changes_of(compared(draft.base, draft.document, current)))
        return replace(draft, change_count=len(found.ids))

    async def accept(
        self, scope: Scope, draft_id: str, revision: int, asked: Sequence[str] | None, *, overwrite: bool
    ) -> Accepted:
        """Save these changes in the workflow, in the name of who sends the request of this scope. Raises `NotFound`,
        `InvalidInput`, `Conflict`, and what saving raises; then nothing changed."""
        found = await self.keeper.find(draft_id)
        require_revision(found, revision)
        now = await self.against(found)
        if now.gone:
            raise Conflict("The workflow of this draft was deleted.", code="WORKFLOW_GONE")
        made = await asyncio.to_thread(_accepted, now, asked, overwrite)
        if not made.accepted:
            raise Conflict("There is nothing to accept: the workflow has all that the draft has.", code="DRAFT_SETTLED")
        saved = await self._save(scope, now, made.document)
        self._context.log.info(
            "Copilot: %d changes of the draft %s were accepted.",
            len(made.accepted),
            draft_id,
            extra={"draftId": draft_id, "workflowId": saved["id"], "version": saved["version"]},
        )
        try:
            after = await self.keeper.change(draft_id, lambda before: _settled(before, found, saved, made.accepted))
        except NotFound:  # discarded meanwhile; what was accepted is saved
            after = _settled(found, found, saved, made.accepted)
        return Accepted(Against(after, without_stored(saved), saved["version"]), made.accepted, saved, now.version)

    async def _save(self, scope: Scope, now: Against, document: Mapping[str, Any]) -> dict[str, Any]:  # JSON
        calls, body = self._context.port(OwnCalls), cast("Json", document)
        if now.draft.workflow_id is None:
            return await self._create(scope["jackfield.principal"], now.draft, body)
        path, match = f"/api/v1/workflows/{now.draft.workflow_id}", {"If-Match": f'"{now.version}"'}
        return answered(await calls.call(scope, "PUT", path, body=body, headers=match))

    async def _create(self, author: Principal, draft: Draft, document: Json) -> dict[str, Any]:  # JSON
        """The workflow of a draft of none. The draft gives it its id. So there is one workflow of two who accept at
        once, or of one whose daemon has died in between. Raises `Conflict` (code `DRAFT_CHANGED`)."""
        ident = str(uuid.uuid5(uuid.UUID(draft.id), "workflow"))
        documents = self._context.port(SavedDocuments)
        try:
            await documents.create(document, author, id=ident)
        except Conflict:
            if await self._shown(ident) is None:
                raise
            await self.keeper.change(draft.id, lambda before: replace(before, workflow_id=ident))
            raise Conflict("The workflow of this draft is there by now; read it again.", code="DRAFT_CHANGED") from None
        return dict(await documents.shown(ident))

    async def waiting_for(self, execution_id: str) -> Draft | None:
        """A draft that an agent has made of another failure of the same version of the workflow, and on which nobody
        has decided. A workflow that fails each minute is to be repaired once."""
        rows = await self._context.store.execution_rows([execution_id]) if is_uuid(execution_id) else []
        workflow = rows[0].workflow_id if rows else None
        if workflow is None:
            return None
        for row in (await self._context.store.drafts(workflow, None, offset=0, limit=_LOOKED_AT)).rows:
            about = about_of(row)
            if about.get("kind") == "execution" and about.get("changeCount"):
                found = await self.keeper.find(row.id)
                now = await self.against(found)
                if found.base_version == now.version:
                    return found
        return None

    async def reject(self, draft_id: str, revision: int, asked: Sequence[str] | None) -> Against:
        """Raises `NotFound`, `InvalidInput`, `Conflict` (code `DRAFT_CHANGED`)."""
        found = await self.keeper.find(draft_id)
        now = await self.against(found)
        made = await asyncio.to_thread(_rejected, now, asked)
        counted = await self._counted(replace(found, document=made.document), now.document)
        after = await self.keeper.change(
            draft_id,
            lambda before: replace(before, document=made.document, change_count=counted.change_count),
            revision,
        )
        return replace(now, draft=after)

    async def merge(
        self,
        draft_id: str,
        into: Mapping[str, Any],
        asked: Sequence[str] | None,
        *,
        overwrite: bool,  # JSON
    ) -> Merged:
        """A document of the caller's with these changes; nothing is saved. Raises `NotFound`, `InvalidInput`,
        `Conflict` (code `DRAFT_CONFLICT`)."""
        found = await self.keeper.find(draft_id)
        now = Against(found, without_stored(require_document(into)))
        return await asyncio.to_thread(_accepted, now, asked, overwrite)


def _accepted(now: Against, asked: Sequence[str] | None, overwrite: bool) -> Merged:
    three = now.compared()
    changes = changes_of(three)
    made = merged(now.document, three.draft, three, changes, chosen_of(changes, asked, overwrite=overwrite))
    name = made.document.get("name") or now.draft.document.get("name") or EMPTY["name"]
    return Merged({"connections": {}, **made.document, "name": name}, made.accepted)


def _rejected(now: Against, asked: Sequence[str] | None) -> Merged:
    three = now.compared()
    changes = changes_of(three)
    return merged(now.draft.document, three.current, three, changes, chosen_of(changes, asked, overwrite=True))


def _settled(draft: Draft, read: Draft, saved: Mapping[str, Any], accepted: Sequence[str]) -> Draft:  # JSON
    """The draft once a part of it is saved: with what saving has made of a node, such as a masked secret. `read`: as it
    was when that part was taken; what was changed since stays."""
    current = without_stored(saved)
    document = settled(draft.document, current, unchanged(read.document, draft.document, accepted))
    left = changes_of(compared(draft.base, document, current))
    return replace(draft, workflow_id=str(saved["id"]), document=document, change_count=len(left.ids))


def with_ids(document: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:  # JSON
    """Each node with an id, by which a change knows it after a renaming; those that have none in the base keep none."""
    without = {node.get("name") for node in base.get("nodes", ()) if isinstance(node, dict) and not node.get("id")}
    nodes = [
        {"id": str(uuid.uuid4()), **node}
        if isinstance(node, dict) and not node.get("id") and node.get("name") not in without
        else node
        for node in document["nodes"]
    ]
    return {**document, "nodes": nodes}


def titled(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TITLE]


_REFUSALS: Mapping[int, type[JackfieldError]] = {
    400: InvalidInput,
    403: AccessDenied,
    404: NotFound,
    409: Conflict,
    413: PayloadTooLarge,
}


def answered(answer: OwnAnswer) -> dict[str, Any]:  # JSON
    """The body of an answer of the management API. Raises what it refuses as the same error once more."""
    body = answer.data if isinstance(answer.data, dict) else {}
    if answer.status < 300:
        return body
    details = body.get("details")
    raise _REFUSALS.get(answer.status, JackfieldError)(
        str(body.get("message") or body.get("error") or f"The daemon answered with the status {answer.status}."),
        code=str(body.get("code") or "INTERNAL"),
        details=details if isinstance(details, dict) else None,
    )
