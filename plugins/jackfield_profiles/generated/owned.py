"""The record of what is ours in a profile's home: `.jackfield/owned.json`. It holds digests, never values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field

from jackfield.api.records import record
from jackfield_profiles.generated.merging import Owned

VERSION = 1


@record
class OwnedFile:
    """kind: `json`, `toml` (merged by keys) or `whole`. made: whether there was no such file before. digest: of the
    content, for `whole`."""

    kind: str
    made: bool
    digest: str = ""
    owned: Owned = field(default_factory=Owned)


def read_state(content: bytes | None) -> dict[str, OwnedFile]:
    """A record that cannot be read counts as none: what we wrote is somebody else's then, and is never removed."""
    try:
        found = json.loads(content or b"{}")
        return {path: _file(entry) for path, entry in found.get("files", {}).items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _file(entry: dict[str, object]) -> OwnedFile:
    leaves = {tuple(map(str, path)): str(digest) for path, digest in entry.get("keys", [])}  # type: ignore[attr-defined]
    made = frozenset(tuple(map(str, path)) for path in entry.get("tables", []))  # type: ignore[attr-defined]
    return OwnedFile(str(entry["kind"]), bool(entry["made"]), str(entry.get("digest", "")), Owned(leaves, made))


def written_state(files: Mapping[str, OwnedFile]) -> bytes:
    """The same bytes for the same record."""
    rows = {path: _row(file) for path, file in sorted(files.items())}
    return json.dumps({"version": VERSION, "files": rows}, indent=1).encode() + b"\n"


def _row(file: OwnedFile) -> dict[str, object]:
    row: dict[str, object] = {"kind": file.kind, "made": file.made}
    if file.digest:
        row["digest"] = file.digest
    if file.owned.leaves:
        row["keys"] = [[list(path), digest] for path, digest in sorted(file.owned.leaves.items())]
    if file.owned.made:
        row["tables"] = [list(path) for path in sorted(file.owned.made)]
    return row
