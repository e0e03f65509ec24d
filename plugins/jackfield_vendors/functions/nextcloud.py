"""The answers of Nextcloud's WebDAV and OCS. Sources: RFC 4918, and Nextcloud's developer manual."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

_NAMES = {"getlastmodified": "lastModified", "getcontentlength": "contentLength", "getcontenttype": "contentType"}


def dav_files(given: Mapping[str, Json]) -> Json:
    """answer: to PROPFIND; base: the address of all files. The content of the folder, without the folder itself."""
    base = urlsplit(str(given.get("base") or "")).path.rstrip("/") + "/"
    return [_file(row, base) for row in _responses(given.get("answer"))[1:]]


def dav_link(given: Mapping[str, Json]) -> Json:
    """answer: to PROPFIND for `fileid`; root: the address of the server. Raises `NodeError`."""
    rows = _responses(given.get("answer"))
    found = _properties(rows[0]).get("fileid") if rows else None
    if not isinstance(found, str) or not found:
        raise NodeError("Nextcloud does not tell the file's id, which its link needs.")
    return {"link": f"{given.get('root')}/f/{found}"}


def ocs_part(given: Mapping[str, Json]) -> Json:
    """answer: of OCS; part: `data` or `meta`. Raises `NodeError` where it says that the request failed."""
    ocs = _object(_object(given.get("answer")).get("ocs"))
    meta = _object(ocs.get("meta"))
    if meta.get("status") != "ok":
        told = meta.get("message") or meta.get("status") or "no answer of OCS"
        raise NodeError(f"Nextcloud: {str(told)[:500]}.")
    return ocs.get(str(given.get("part")))


def ocs_users(given: Mapping[str, Json]) -> Json:
    """answer: of OCS with users. An object each."""
    users = _object(_object(ocs_part({**given, "part": "data"})).get("users")).get("element")
    listed: list[Json] = users if isinstance(users, list) else [users] if users else []
    return [{"id": name} for name in listed]


def _responses(answer: Json) -> list[dict[str, Json]]:
    found = _object(_object(answer).get("multistatus")).get("response")
    rows = found if isinstance(found, list) else [found]
    return [row for row in rows if isinstance(row, dict)]


def _properties(row: Mapping[str, Json]) -> dict[str, Json]:
    """Those that the server knows, which come first."""
    found = row.get("propstat")
    first = found[0] if isinstance(found, list) and found else found
    return _object(_object(first).get("prop"))


def _file(row: Mapping[str, Json], base: str) -> Json:
    href, known = urlsplit(str(row.get("href") or "")).path, _properties(row)
    made: dict[str, Json] = {"path": href.removeprefix(base)}
    made |= {name: known[prop] for prop, name in _NAMES.items() if prop in known}
    made["type"] = "folder" if known.get("resourcetype") else "file"
    made["eTag"] = str(known.get("getetag") or "").removeprefix("W/").strip('"')
    return made


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
