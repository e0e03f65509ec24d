"""Folders and projects of n8n, which are folders here: `Marketing/Sales/2024`. An export may name them in several ways;
a workflow that was read has them as `PATH` of its `parentFolder`. On the way out they are a tag, since n8n's import
makes no folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from jackfield.api.jsontext import Json
from jackfield.api.records import record

TAG = "folder/"
PATH = "path"
LONGEST_NAME = 255
"""Characters."""
PERSONAL = "personal"
"""The type of a project that is one user's, which says nothing to others."""
Row = Mapping[str, Json]
_SAID = frozenset({"parentFolder", "parentFolderId", "shared", "homeProject"})
"""Keys that the path stands for: whoever reads the workflow next may know fewer folders."""


@record
class Places:
    """The places of an installation. `folders`, `projects`: by id. `homes`: id of a workflow -> ids of its projects."""

    folders: Mapping[str, Row] = field(default_factory=dict)
    projects: Mapping[str, Row] = field(default_factory=dict)
    homes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def placed(self, document: Row) -> Row:
        """The workflow with its path: a project that is nobody's own, and its folders in that. A tag of an export of
        ours counts where nothing else does."""
        tags = document.get("tags")
        given = tags if isinstance(tags, list) else []
        told = [each for each in given if _tag_name(each).startswith(TAG)]
        path = folder_of(document) or (*self._projects(document)[:1], *self._folders(document))
        if not path and told:
            path = tuple(filter(None, map(_plain, _tag_name(told[0]).removeprefix(TAG).split("/"))))
        if not path:
            return document
        rest = {key: value for key, value in document.items() if key not in _SAID | {"tags"}}
        if kept := [each for each in given if each not in told]:
            rest["tags"] = kept
        return {**rest, "parentFolder": {PATH: list(path)}}

    def _folders(self, document: Row) -> Sequence[str]:
        """From the top. A folder that is known only from the workflow has no folders above it."""
        inner = document.get("parentFolder")
        own = inner if isinstance(inner, dict) else {}
        ident, names, seen = str(document.get("parentFolderId") or own.get("id") or ""), list[str](), set[str]()
        while ident and ident not in seen and (row := self.folders.get(ident)) is not None:
            seen.add(ident)
            names.append(_name(row))
            ident = str(row.get("parentFolderId") or "")
        return [name for name in reversed(names or [_name(own)]) if name]

    def _projects(self, document: Row) -> list[str]:
        shared, home = document.get("shared"), document.get("homeProject")
        rows = [self.projects.get(ident) for ident in self.homes.get(str(document.get("id")), ())]
        if isinstance(shared, list):
            owners = [each.get("project") for each in shared if isinstance(each, dict) and _owns(each)]
            rows += [row for row in owners if isinstance(row, dict)]
        if isinstance(home, dict):
            rows.append(home)
        return [_name(row) for row in rows if row is not None and _is_team(row) and _name(row)]


def folder_of(document: Row) -> tuple[str, ...]:
    """Names of the folders that a workflow that was read lay in, from the top."""
    own = document.get("parentFolder")
    path = own.get(PATH) if isinstance(own, dict) else None
    return tuple(name for each in (path if isinstance(path, list) else ()) if (name := _plain(each)))


def folder_tag(path: Sequence[str]) -> Json:
    """The stand-in for a folder in n8n."""
    return {"name": TAG + "/".join(name.replace("/", " ").replace(",", " ") for name in path)}


def places(folders: Iterable[Row], projects: Iterable[Row], shared: Iterable[Row] = ()) -> Places:
    """shared: rows that say which project owns a workflow."""
    homes: dict[str, tuple[str, ...]] = {}
    for row in shared:
        if _owns(row):
            ident = str(row.get("workflowId"))
            homes[ident] = (*homes.get(ident, ()), str(row.get("projectId")))
    return Places(_by_id(folders), _by_id(projects), homes)


def _by_id(rows: Iterable[Row]) -> dict[str, Row]:
    return {str(row.get("id")): row for row in rows}


def _tag_name(tag: Json) -> str:
    name = tag.get("name") if isinstance(tag, dict) else tag
    return name if isinstance(name, str) else ""


def _name(row: Row) -> str:
    return _plain(row.get("name"))


def _plain(name: Json) -> str:
    return " ".join(name.split())[:LONGEST_NAME].strip() if isinstance(name, str) else ""


def _is_team(row: Row) -> bool:
    return row.get("type") != PERSONAL


def _owns(row: Row) -> bool:
    return row.get("role", "workflow:owner") == "workflow:owner"
