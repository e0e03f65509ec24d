"""Tags, and which workflows have them."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from jackfield.api.errors import Conflict, NotFound
from jackfield.api.ids import new_id
from jackfield.api.storage import Page, Tag
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import PostgresQuery, execute, number
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.texts import plain_text

_TAGS = PostgresQuery("id, name, created_at, updated_at", "tags", "name", Tag)
_PUT = """INSERT INTO tags (id, name, created_at, updated_at, folded_name) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name,
    updated_at = excluded.updated_at"""
TAGS_OF_WORKFLOW = """(SELECT coalesce(json_agg(json_build_array(t.id, t.name, t.created_at, t.updated_at)), '[]')::text
    FROM workflow_tags x JOIN tags t ON t.id = x.tag_id WHERE x.workflow_id = {id})"""
"""A column for `read_tags`."""
FOLDED_TAGS = """coalesce((SELECT string_agg(t.folded_name, chr(10))
    FROM workflow_tags x JOIN tags t ON t.id = x.tag_id WHERE x.workflow_id = workflows.id), '')"""
"""Names of a workflow's tags, in folded case and a line each."""
_LOCK = "SELECT 1 FROM workflows WHERE id = %s FOR UPDATE"
HAS_TAG = """EXISTS (SELECT 1 FROM tags t JOIN workflow_tags x ON x.tag_id = t.id
    WHERE t.name = %s AND x.workflow_id = workflows.id)"""


class PostgresTags:
    """Part of the store port."""

    _db: PostgresDatabase

    async def tags(self, *, offset: int, limit: int) -> Page[Tag]:
        return await self._db.read(lambda connection: _TAGS.page(connection, "", [], offset, limit))

    async def tag(self, tag_id: str) -> Tag | None:
        return await self._db.read(lambda connection: _TAGS.one(connection, "id = %s", tag_id))

    async def put_tag(self, tag: Tag) -> None:
        def work(connection: Connection) -> None:
            taken = "SELECT count(*) FROM tags WHERE name = %s AND id <> %s"
            if number(connection, taken, [tag.name, tag.id]):
                raise Conflict(f"There is a tag {tag.name} already.", details={"name": "is taken"})
            _put(connection, tag)

        await self._db.write(work)

    async def delete_tag(self, tag_id: str) -> bool:
        sql = "DELETE FROM tags WHERE id = %s"
        return await self._db.write(lambda connection: execute(connection, sql, [tag_id]).rowcount > 0)

    async def tag_workflow(self, workflow_id: str, tag_ids: Sequence[str]) -> bool:
        def work(connection: Connection) -> bool:
            if not execute(connection, _LOCK, [workflow_id]).rowcount:
                return False
            for tag_id in tag_ids:
                if not number(connection, "SELECT count(*) FROM tags WHERE id = %s", [tag_id]):
                    raise NotFound(f"There is no tag with the id {tag_id}.")
            _attach(connection, workflow_id, tag_ids)
            return True

        return await self._db.write(work)


def read_tags(column: str) -> tuple[Tag, ...]:
    """`TAGS_OF_WORKFLOW` as tags, by name."""
    found = (Tag(plain_text(key), plain_text(name), *times) for key, name, *times in orjson.loads(column))
    return tuple(sorted(found, key=lambda tag: tag.name))


def name_tags(connection: Connection, workflow_id: str, names: Sequence[str], now: int) -> tuple[Tag, ...]:
    """Give a workflow the tags of these names and no others; missing ones are made. They come back by name."""
    found: dict[str, Tag] = {}
    for name in names:
        tag = _TAGS.one(connection, "name = %s", name)
        if tag is None:
            tag = Tag(new_id(), name, now, now)
            _put(connection, tag)
        found[tag.id] = tag
    _attach(connection, workflow_id, list(found))
    return tuple(sorted(found.values(), key=lambda tag: tag.name))


def _put(connection: Connection, tag: Tag) -> None:
    execute(connection, _PUT, (tag.id, tag.name, tag.created_at, tag.updated_at, tag.name.casefold()))


def _attach(connection: Connection, workflow_id: str, tag_ids: Sequence[str]) -> None:
    execute(connection, "DELETE FROM workflow_tags WHERE workflow_id = %s", [workflow_id])
    for tag_id in tag_ids:
        execute(connection, "INSERT INTO workflow_tags VALUES (%s, %s) ON CONFLICT DO NOTHING", [workflow_id, tag_id])
