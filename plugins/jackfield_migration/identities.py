"""The stored map from ids of n8n to ids of ours.

An id that is only referred to gets one of ours as well. The thing that has it may be imported later, and then the
references to it are right already. So neither order nor cycles matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.storage import ImportedId

WORKFLOW, CREDENTIAL = "workflow", "credential"


class IdMap:
    """The ids of one kind of one installation. `save` keeps new ones."""

    def __init__(self, context: PluginContext, source: str, kind: str) -> None:
        self._context = context
        self._source = source
        self._kind = kind
        self._known: dict[str, ImportedId] = {}
        self._changed: dict[str, ImportedId] = {}

    async def load(self) -> None:
        found = await self._context.store.imported_ids(self._source, self._kind)
        self._known = {each.foreign_id: each for each in found}

    def find(self, foreign_id: str) -> str | None:
        """The own id, if there is one."""
        found = self._known.get(foreign_id)
        return None if found is None else found.own_id

    def own(self, foreign_id: str, wanted: str | None = None) -> str:
        """The own id; a new one, or the one wanted, when there is none yet."""
        found = self._known.get(foreign_id)
        if found is None:
            found = self._put(ImportedId(self._source, self._kind, foreign_id, wanted or new_id(), "", 0))
        return found.own_id

    def point(self, foreign_id: str, own_id: str) -> None:
        """Let the id stand for this one."""
        found = self._known.get(foreign_id)
        if found is None or found.own_id != own_id:
            self._put(ImportedId(self._source, self._kind, foreign_id, own_id, "", 0))

    def digest(self, foreign_id: str) -> str:
        """Of what was imported last; empty: nothing."""
        found = self._known.get(foreign_id)
        return "" if found is None else found.digest

    def imported(self, foreign_id: str, digest: str) -> None:
        self._put(replace(self._known[foreign_id], digest=digest))

    def owners(self) -> Mapping[str, str]:
        """Own id -> foreign id."""
        return {each.own_id: each.foreign_id for each in self._known.values()}

    async def save(self) -> None:
        """Keep what is new or changed."""
        changed = list(self._changed.values())
        self._changed = {}
        await self._context.store.put_imported_ids(changed)

    def _put(self, entry: ImportedId) -> ImportedId:
        kept = replace(entry, updated_at=self._context.clock.now_ms())
        self._known[kept.foreign_id] = self._changed[kept.foreign_id] = kept
        return kept


def content_digest(value: Json, key: bytes = b"") -> str:
    """Of a document, whatever the order of its keys. key: for what holds secrets, so that nobody can try guesses."""
    return hashlib.blake2b(dumps(_ordered(value)), digest_size=16, key=key).hexdigest()


def foreign_id(document: Mapping[str, Json]) -> str:
    """The document's id; of one without an id its content, so that it is known when it comes again."""
    given = document.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        return f"content:{content_digest(dict(document))}"
    return str(given)


def _ordered(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(each) for each in value] if isinstance(value, list) else value
