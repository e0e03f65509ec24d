"""A workflow of n8n with our ids in place of n8n's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Document
from jackfield_migration.redaction import unredacted

Own = Callable[[str], str]
"""Id of a workflow there -> its id here."""
FindCredential = Callable[[str, Json, str], str | None]
"""Kind, id and name of a credential there -> its id here; None: nobody can say."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,36}")
_INSIDE = re.compile(r"\b(?:[A-Za-z0-9]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
"""Ids of n8n's own making and of ours inside expressions, as far as they are known; others may be anything."""
_NOT_COPIED = frozenset({
    "staticData", "shared", "versionId", "activeVersionId", "activeVersion", "versionCounter", "versionMetadata",
    "triggerCount", "parentFolder", "parentFolderId", "homeProject", "sharedWithProjects", "usedCredentials", "scopes",
    "createdAt", "updatedAt", "sourceWorkflowId",
})  # fmt: skip
"""Keys that say something of n8n's own store."""


@record
class Link:
    """A reference to another workflow. path: where it stands; foreign_id: of the one referred to."""

    path: str
    foreign_id: str


@record
class Rewritten:
    """links: to other workflows; unknown: place of a credential that has no id here -> its name."""

    document: Document
    links: tuple[Link, ...]
    unknown: Mapping[str, str]


def rewritten(
    document: Mapping[str, Json], own: Own, credential: FindCredential, known: Callable[[str], bool]
) -> Rewritten:
    """own: is asked for every id that the document refers to; known: whether an id inside an expression is one."""
    work = _Rewriting(own, credential, known)
    nodes = [work.node(node, f"nodes[{index}]") for index, node in enumerate(_list(document.get("nodes")))]
    # n8n's exports write what is empty as null or as a list, its tables leave it out.
    found: Document = {key: value for key, value in document.items() if key not in _NOT_COPIED and value is not None}
    found["nodes"] = nodes
    if not found.get("tags"):
        found.pop("tags", None)
    if isinstance(settings := document.get("settings"), dict):
        found["settings"] = work.settings(settings)
    return Rewritten(found, tuple(work.links), work.unknown)


class _Rewriting:
    def __init__(self, own: Own, credential: FindCredential, known: Callable[[str], bool]) -> None:
        self._own = own
        self._credential = credential
        self._known = known
        self.links: list[Link] = []
        self.unknown: dict[str, str] = {}

    def settings(self, settings: Mapping[str, Json]) -> dict[str, Json]:
        changed = unredacted(settings)
        error = settings.get("errorWorkflow")
        if isinstance(error, str | int) and error != "DEFAULT" and _ID.fullmatch(str(error)):
            changed["errorWorkflow"] = self._linked(str(error), "settings.errorWorkflow")
        if isinstance(callers := settings.get("callerIds"), str):
            ids = (each.strip() for each in callers.split(",") if each.strip())
            changed["callerIds"] = ",".join(self._own(each) if _ID.fullmatch(each) else each for each in ids)
        return changed

    def node(self, node: Json, path: str) -> Json:
        if not isinstance(node, dict):
            return node
        changed = dict(node)
        if isinstance(parameters := node.get("parameters"), dict):
            changed["parameters"] = self._parameters(parameters, f"{path}.parameters")
        if isinstance(credentials := node.get("credentials"), dict) and credentials:
            changed["credentials"] = dict(self._credentials(credentials, f"{path}.credentials"))
        return changed

    def _parameters(self, parameters: Mapping[str, Json], path: str) -> dict[str, Json]:
        """`workflowId` is how every node of n8n names another workflow."""
        found = dict(parameters)
        if "workflowId" in parameters and parameters.get("source", "database") == "database":
            found["workflowId"] = self._reference(parameters["workflowId"], f"{path}.workflowId")
        return found

    def _reference(self, value: Json, path: str) -> Json:
        if isinstance(value, dict):
            inner = self._reference(value.get("value"), path)
            found = {key: each for key, each in value.items() if key != "cachedResultUrl"}
            return {**found, "value": inner}
        if isinstance(value, str) and value.startswith("="):
            return _INSIDE.sub(lambda match: self._inside(match[0], path), value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        return self._linked(value, path) if isinstance(value, str) and _ID.fullmatch(value) else value

    def _inside(self, text: str, path: str) -> str:
        return self._linked(text, path) if self._known(text) else text

    def _linked(self, foreign_id: str, path: str) -> str:
        self.links.append(Link(path, foreign_id))
        return self._own(foreign_id)

    def _credentials(self, credentials: Mapping[str, Json], path: str) -> Iterator[tuple[str, Json]]:
        for kind, named in credentials.items():
            given = named if isinstance(named, dict) else {"name": named}
            name = given.get("name")
            found = self._credential(kind, given.get("id"), name if isinstance(name, str) else "")
            if found is None:
                self.unknown[f"{path}.{kind}"] = str(name or "")
                yield kind, named
            else:
                yield kind, {**given, "id": found}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
