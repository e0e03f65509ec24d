"""`jackfield.api.storage.TagStore` over a database with SQL: tags, and which workflows have them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from ..errors import Conflict, NotFound
from ..ids import new_id
from ..storage import Page, Tag
from .dialect import ConnectionT, SqlDatabase, StoreDialect
from .queries import Query

_PUT = """INSERT INTO tags (id, name, created_at, updated_at, folded_name) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name,
    updated_at = excluded.updated_at"""
_ATTACH = "INSERT INTO workflow_tags (workflow_id, tag_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
HAS_TAG = """EXISTS (SELECT 1 FROM tags t JOIN workflow_tags x ON x.tag_id = t.id
    WHERE t.name = ? AND x.workflow_id = workflows.id)"""
"""A condition on workflows."""


class TagWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect
        self._tags = Query(dialect, "id, name, created_at, updated_at", "tags", "name", Tag)

    def page(self, connection: ConnectionT, offset: int, limit: int) -> Page[Tag]:
        return self._tags.page(connection, "", [], offset, limit)

    def one(self, connection: ConnectionT, tag_id: str) -> Tag | None:
        return self._tags.one(connection, "id = ?", tag_id)

    def put(self, connection: ConnectionT, tag: Tag) -> None:
        taken = "SELECT count(*) FROM tags WHERE name = ? AND id <> ?"
        if self._sql.number(connection, taken, [tag.name, tag.id]):
            raise Conflict(f"There is a tag {tag.name} already.", details={"name": "is taken"})
        self._put(connection, tag)

    def delete(self, connection: ConnectionT, tag_id: str) -> bool:
        return self._sql.execute(connection, "DELETE FROM tags WHERE id = ?", [tag_id]).rowcount > 0

    def tag_workflow(self, connection: ConnectionT, workflow_id: str, tag_ids: Sequence[str]) -> bool:
        held = self._sql.waiting("SELECT 1 FROM workflows WHERE id = ?")
        if self._sql.execute(connection, held, [workflow_id]).fetchone() is None:
            return False
        for tag_id in tag_ids:
            if not self._sql.number(connection, "SELECT count(*) FROM tags WHERE id = ?", [tag_id]):
                raise NotFound(f"There is no tag with the id {tag_id}.")
        self._attach(connection, workflow_id, tag_ids)
        return True

    def name(self, connection: ConnectionT, workflow_id: str, names: Sequence[str], now: int) -> tuple[Tag, ...]:
        """Give a workflow the tags of these names and no others; missing ones are made. They come back by name."""
        found: dict[str, Tag] = {}
        for name in names:
            tag = self._tags.one(connection, "name = ?", name)
            if tag is None:
                tag = Tag(new_id(), name, now, now)
                self._put(connection, tag)
            found[tag.id] = tag
        self._attach(connection, workflow_id, list(found))
        return tuple(sorted(found.values(), key=lambda tag: tag.name))

    def _put(self, connection: ConnectionT, tag: Tag) -> None:
        row = (tag.id, tag.name, tag.created_at, tag.updated_at, tag.name.casefold())
        self._sql.execute(connection, _PUT, row)

    def _attach(self, connection: ConnectionT, workflow_id: str, tag_ids: Sequence[str]) -> None:
        self._sql.execute(connection, "DELETE FROM workflow_tags WHERE workflow_id = ?", [workflow_id])
        for tag_id in tag_ids:
            self._sql.execute(connection, _ATTACH, [workflow_id, tag_id])


class SqlTags(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _tags: TagWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def tags(self, *, offset: int, limit: int) -> Page[Tag]:
        return await self.database.read(lambda connection: self._tags.page(connection, offset, limit))

    async def tag(self, tag_id: str) -> Tag | None:
        return await self.database.read(lambda connection: self._tags.one(connection, tag_id))

    async def put_tag(self, tag: Tag) -> None:
        await self.database.write(lambda connection: self._tags.put(connection, tag))

    async def delete_tag(self, tag_id: str) -> bool:
        return await self.database.write(lambda connection: self._tags.delete(connection, tag_id))

    async def tag_workflow(self, workflow_id: str, tag_ids: Sequence[str]) -> bool:
        return await self.database.write(lambda connection: self._tags.tag_workflow(connection, workflow_id, tag_ids))
