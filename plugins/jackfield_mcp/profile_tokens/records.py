"""Tokens as entries of the store: their ids are digests, by which a request finds its one row."""

from __future__ import annotations

from typing import cast, get_args

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.json_values import Json
from jackfield.api.profile_tools import ToolScope, ToolToken
from jackfield.api.profiles import RunKind
from jackfield.api.storage.entries import Entry

KIND = "mcp-profile-token"


def entry_of(digest: str, token: ToolToken) -> Entry:
    """digest: of the token's text."""
    scope = token.scope
    data: dict[str, Json] = {
        "id": token.id,
        "run": token.run,
        "alias": token.alias,
        "kind": token.kind,
        "host": token.host,
        "created": token.created_at,
        "until": token.until,
        "tools": list[Json](scope.tools),
        "offered": scope.offered,
        "without": list[Json](scope.without),
        "more": list[Json](scope.scopes),
        "bound": dict[str, Json](scope.bound),
        "scopes": list[Json](token.scopes),
        "outlives": token.outlives,
        "depth": token.depth,
        "project": token.project,
    }
    return Entry(KIND, digest, "", token.created_at, 1, jsontext.dumps(data))


def token_of(entry: Entry) -> ToolToken | None:
    """None: it is damaged, and counts no more."""
    try:
        data = jsontext.loads(entry.data)
        return _token(data) if isinstance(data, dict) else None
    except (InvalidInput, KeyError, TypeError, ValueError):
        return None


def _token(data: dict[str, Json]) -> ToolToken:
    """Raises KeyError, TypeError, ValueError."""
    kind, bound = data["kind"], data["bound"]
    if kind not in get_args(RunKind) or not isinstance(bound, dict):
        raise ValueError("This is no token.")
    reach = ToolScope(
        _texts(data["tools"]),
        data["offered"] is True,
        _texts(data["without"]),
        _texts(data["more"]),
        {name: str(bound[name]) for name in bound},
    )
    return ToolToken(
        str(data["id"]),
        str(data["run"]),
        str(data["alias"]),
        cast("RunKind", kind),
        str(data["host"]),
        reach,
        _texts(data["scopes"]),
        int(str(data["created"])),
        int(str(data["until"])),
        data.get("outlives") is True,
        int(str(data.get("depth", 0))),
        str(data.get("project") or ""),
    )


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(str(text) for text in cast("list[Json]", value))
