"""The content of one backup. A manifest is written last: a backup without a whole one is none."""

from __future__ import annotations

import hashlib
import re
from dataclasses import field
from pathlib import PurePosixPath

import msgspec

from jackfield.api.errors import JackfieldError
from jackfield.api.records import record

FORMAT = 1
_PART = re.compile(r"[0-9a-f]{64}", re.ASCII)


class BackupError(JackfieldError):
    """Something about a backup that its owner has to know."""

    code = "BACKUP_ERROR"


@record
class SavedFile:
    """parts: SHA-256 of its content, piece by piece. same_as: the path of an earlier file that it is a hard link of.
    Then there are no parts. executable: by its owner."""

    path: str
    size: int
    parts: list[str] = field(default_factory=list)
    same_as: str | None = None
    executable: bool = False


@record
class SavedLink:
    """A symbolic link within the directory."""

    path: str
    target: str


@record
class BackupManifest:
    """`created_at`: ISO 8601, UTC. `store`: the path of the store's copy. `store_file`: where the store was, if that is
    not in the configuration directory. `keys`: whether `keys/` is there. `left_out`: what was not copied, and why."""

    format: int
    id: str
    created_at: str
    version: str
    store: str
    store_file: str | None
    keys: bool
    directories: list[str]
    files: list[SavedFile]
    links: list[SavedLink]
    left_out: list[str]

    def parts(self) -> set[str]:
        """Names of all its pieces."""
        return {part for file in self.files for part in file.parts}

    def size(self) -> int:
        """Bytes of its files, each hard link once."""
        return sum(file.size for file in self.files if file.same_as is None)


def written(manifest: BackupManifest) -> bytes:
    """The digest of the rest on the first line."""
    body = msgspec.json.encode(manifest)
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def read(content: bytes, name: str) -> BackupManifest:
    """Raises `BackupError` that names the manifest."""
    digest, _, body = content.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise BackupError(f"The manifest {name} is damaged: its digest does not fit; use another backup.")
    try:
        manifest = msgspec.json.decode(body, type=BackupManifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise BackupError(f"The manifest {name} cannot be read ({exc}); update the program.") from None
    if manifest.format != FORMAT:
        raise BackupError(f"The manifest {name} has the format {manifest.format}; this program knows {FORMAT}; update.")
    _refuse_ways_out(manifest, name)
    return manifest


def is_inside(path: str) -> bool:
    """Whether a relative path stays below its directory."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


def leads_inside(link: SavedLink) -> bool:
    """Whether a link's target stays below the directory."""
    if link.target.startswith("/"):
        return False
    depth = len(PurePosixPath(link.path).parts) - 1
    for part in PurePosixPath(link.target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return False
    return True


def _refuse_ways_out(manifest: BackupManifest, name: str) -> None:
    linked = {link.path for link in manifest.links}
    paths = [*manifest.directories, *linked, manifest.store]
    for file in manifest.files:
        paths += [file.path] if file.same_as is None else [file.path, file.same_as]
    through = (path for path in paths if any(str(above) in linked for above in PurePosixPath(path).parents))
    bad = next((path for path in paths if not is_inside(path)), None) or next(through, None)
    bad = bad or next((link.path for link in manifest.links if not leads_inside(link)), None)
    if bad is None and not all(_PART.fullmatch(part) for part in manifest.parts()):
        bad = "a piece"
    if bad is not None:
        raise BackupError(f"The manifest {name} leads out of its directory with {bad!r}; nothing was restored.")
