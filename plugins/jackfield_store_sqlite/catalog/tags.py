"""A workflow's tags as columns of its row."""

from __future__ import annotations

import orjson

from jackfield.api.storage import Tag

TAGS_OF_WORKFLOW = """(SELECT json_group_array(json_array(t.id, t.name, t.created_at, t.updated_at))
    FROM workflow_tags x JOIN tags t ON t.id = x.tag_id WHERE x.workflow_id = {id})"""
"""A column for `read_tags`."""
FOLDED_TAGS = """coalesce((SELECT group_concat(t.folded_name, char(10))
    FROM workflow_tags x JOIN tags t ON t.id = x.tag_id WHERE x.workflow_id = workflows.id), '')"""
"""Names of a workflow's tags, in folded case and a line each."""


def read_tags(column: str) -> tuple[Tag, ...]:
    """`TAGS_OF_WORKFLOW` as tags, by name."""
    return tuple(sorted((Tag(*row) for row in orjson.loads(column)), key=lambda tag: tag.name))
