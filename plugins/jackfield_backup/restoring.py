"""Putting a backup back, and looking whether one is whole. Nothing here needs a daemon or a configuration."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from jackfield.api.cli import Advancing
from jackfield.api.files import private_directory, sync_directory
from jackfield.api.records import record
from jackfield_backup.manifest import BackupError, BackupManifest, SavedFile
from jackfield_backup.progress import ShowProgress, hidden
from jackfield_backup.repository import BackupRepository, newest, opened, refused

STAGING = ".restoring"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@record
class Verified:
    """problems: a sentence each; empty when the backup is whole."""

    backup: str
    created_at: str
    files: int
    size: int
    problems: list[str]


def restore(source: Path, target: Path, wanted: str | None, show: ShowProgress = hidden) -> BackupManifest:
    """Into an empty directory; what is there afterwards was read again and has its digests. A restore that was broken
    off leaves nothing but `.restoring`. Raises `BackupError`, `ConfigurationError`."""
    repository = opened(source)
    with repository.locked(alone=False):
        manifest = newest(repository, wanted)
        staging = target / STAGING
        try:
            _refuse_full(target)
            private_directory(target)
            staging.mkdir(mode=0o700)
            try:
                with show(2 * manifest.size(), "Restoring") as bar:  # written, then read again
                    _fill(repository, manifest, staging, bar)
                    _check(manifest, staging, bar)
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                raise
            for path in sorted(staging.iterdir(), key=lambda path: path.name == manifest.store):
                path.rename(target / path.name)
            staging.rmdir()
            sync_directory(target)
        except OSError as exc:
            raise refused(exc, "The restore failed") from exc
    return manifest


def verify_backups(source: Path, wanted: str | None, show: ShowProgress = hidden) -> list[Verified]:
    """Every backup or the named one. Each piece is read once, however many hold it. Raises `BackupError`."""
    repository = opened(source)
    with repository.locked(alone=False):
        ids = [wanted] if wanted else repository.ids()
        if not ids:
            newest(repository, None)
        known: dict[str, int] = {}
        with show(sum(_count(repository, each) for each in ids), "Verifying") as bar:
            return [_verified(repository, each, known, bar) for each in ids]


def _count(repository: BackupRepository, backup: str) -> int:
    """Pieces of a backup's files; 0 where the backup does not tell."""
    try:
        return sum(len(file.parts) for file in repository.manifest(backup).files)
    except BackupError:
        return 0


def _verified(repository: BackupRepository, backup: str, known: dict[str, int], bar: Advancing) -> Verified:
    """known: name of each piece that was looked at -> its bytes, -1 for a bad one."""
    try:
        manifest = repository.manifest(backup)
    except BackupError as exc:
        return Verified(backup, "-", 0, 0, [exc.message])
    problems = []
    for file in manifest.files:
        sizes = [_known(repository, part, known) for part in file.parts]
        bar.update(len(sizes))
        bad = [part for part, size in zip(file.parts, sizes, strict=True) if size < 0]
        if bad:
            problems.append(f"{file.path}: {repository.path(bad[0])} is damaged or missing; "
                            "the next backup writes it anew, if its content is still there.")  # fmt: skip
        elif file.same_as is None and sum(sizes) != file.size:
            problems.append(f"{file.path}: its pieces have {sum(sizes)} bytes instead of {file.size}.")
    return Verified(backup, manifest.created_at, len(manifest.files), manifest.size(), problems)


def _known(repository: BackupRepository, part: str, known: dict[str, int]) -> int:
    if part not in known:
        piece = repository.get(part)
        known[part] = -1 if piece is None else len(piece)
    return known[part]


def _refuse_full(target: Path) -> None:
    if target.exists() and any(target.iterdir()):
        broken = " (a restore was broken off there)" if (target / STAGING).exists() else ""
        raise BackupError(f"{target} is not empty{broken}; restore into an empty directory.")


def _fill(repository: BackupRepository, manifest: BackupManifest, staging: Path, bar: Advancing) -> None:
    for name in manifest.directories:
        _directory(staging / name)
    for file in manifest.files:
        path = staging / file.path
        _directory(path.parent)
        if file.same_as is not None:
            os.link(staging / file.same_as, path, follow_symlinks=False)
        else:
            _write(repository, file, path)
            bar.update(file.size)
    for link in manifest.links:
        _directory((staging / link.path).parent)
        (staging / link.path).symlink_to(link.target)


def _directory(path: Path) -> None:
    missing = []
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for each in reversed(missing):
        each.mkdir(mode=0o700)


def _write(repository: BackupRepository, file: SavedFile, path: Path) -> None:
    with os.fdopen(os.open(path, _NEW, 0o700 if file.executable else 0o600), "wb") as out:
        for part in file.parts:
            piece = repository.get(part)
            if piece is None:
                raise BackupError(
                    f"{file.path} cannot be restored: {repository.path(part)} is damaged or missing. "
                    "Restore another backup (--backup ID)."
                )
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())


def _check(manifest: BackupManifest, staging: Path, bar: Advancing) -> None:
    """Read everything again, in the pieces that it was saved in. Raises `BackupError`."""
    for file in manifest.files:
        if file.same_as is not None:
            continue
        with (staging / file.path).open("rb") as written:
            left, parts = file.size, []
            for _ in file.parts:
                piece = written.read(min(_piece(file), left))
                left -= len(piece)
                parts.append(hashlib.sha256(piece).hexdigest())
            if parts != file.parts or left or written.read(1):
                raise BackupError(f"{file.path} is not what was saved, after it was written; look at the disk.")
        bar.update(file.size)


def _piece(file: SavedFile) -> int:
    """Bytes of each of its pieces but the last."""
    return max(1, file.size) if len(file.parts) < 2 else 1_048_576
