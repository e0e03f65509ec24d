"""A workflow's tags as columns of its row."""

from __future__ import annotations

import orjson

from jackfield.api.storage import Tag
from jackfield_store_postgres.texts import plain_text

TAGS_OF_WORKFLOW = """(SELECT coalesce(json_agg(json_build_array(t.id, t.name, t.created_at, t.updated_at)), '[]')::text
    FROM workflow_tags x JOIN tags t ON t.id = x.tag_id WHERE x.workflow_id = {id})"""
"""A column for `read_tags`."""
FOLDED_TAGS = """coalesce((SELECT string_agg(t.folded_name, chr(10))
    FROM workflow_tags x JOIN tags t ON t.id = x.tag_id WHERE x.workflow_id = workflows.id), '')"""
"""Names of a workflow's tags, in folded case and a line each."""


def read_tags(column: str) -> tuple[Tag, ...]:
    """`TAGS_OF_WORKFLOW` as tags, by name."""
    found = (Tag(plain_text(key), plain_text(name), *times) for key, name, *times in orjson.loads(column))
    return tuple(sorted(found, key=lambda tag: tag.name))
