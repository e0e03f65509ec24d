"""Folders and projects of n8n, which are tags here: `folder/Sales/2024`, `project/Marketing`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from jackfield.api.jsontext import Json
from jackfield.api.records import record

FOLDER, PROJECT = "folder/", "project/"
LONGEST_TAG = 255
"""Characters."""
PERSONAL = "personal"
"""The type of a project that is one user's, which says nothing to others."""
Row = Mapping[str, Json]
_SAID = frozenset({"parentFolder", "parentFolderId", "shared", "homeProject"})
"""Keys that the tags stand for: whoever reads the workflow next may know fewer folders."""


@record
class Places:
    """What an installation has. folders, projects: by id; homes: id of a workflow -> ids of its projects."""

    folders: Mapping[str, Row] = field(default_factory=dict)
    projects: Mapping[str, Row] = field(default_factory=dict)
    homes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def tagged(self, document: Row) -> Row:
        """The workflow with a tag for its folder, and one for each of its projects that is nobody's own."""
        folder = self._folder(document)
        names = [*([FOLDER + folder] if folder else []), *(PROJECT + name for name in self._projects(document))]
        if not names:
            return document
        given = document.get("tags")
        tags: list[Json] = [{"name": name[:LONGEST_TAG]} for name in dict.fromkeys(names)]
        rest = {key: value for key, value in document.items() if key not in _SAID}
        return {**rest, "tags": [*(given if isinstance(given, list) else []), *tags]}

    def _folder(self, document: Row) -> str:
        """Its path; empty: it lies in none. A folder that is known only from the workflow has no folders above it."""
        inner = document.get("parentFolder")
        own = inner if isinstance(inner, dict) else {}
        ident, names, seen = str(document.get("parentFolderId") or own.get("id") or ""), list[str](), set[str]()
        while ident and ident not in seen and (row := self.folders.get(ident)) is not None:
            seen.add(ident)
            names.append(_name(row))
            ident = str(row.get("parentFolderId") or "")
        return "/".join(reversed(names)) or _name(own)

    def _projects(self, document: Row) -> list[str]:
        shared, home = document.get("shared"), document.get("homeProject")
        rows = [self.projects.get(ident) for ident in self.homes.get(str(document.get("id")), ())]
        if isinstance(shared, list):
            owners = [each.get("project") for each in shared if isinstance(each, dict) and _owns(each)]
            rows += [row for row in owners if isinstance(row, dict)]
        if isinstance(home, dict):
            rows.append(home)
        return [_name(row) for row in rows if row is not None and _is_team(row) and _name(row)]


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


def _name(row: Row) -> str:
    """Without commas, which separate names in a filter by tags."""
    found = row.get("name")
    return " ".join(found.replace(",", " ").split()) if isinstance(found, str) else ""


def _is_team(row: Row) -> bool:
    return row.get("type") != PERSONAL


def _owns(row: Row) -> bool:
    return row.get("role", "workflow:owner") == "workflow:owner"
