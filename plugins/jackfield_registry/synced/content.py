"""The content of `registry/`: commits, and the link to the current one.

    registry/current -> commits/<commit>
    registry/commits/<commit>/{registry.json, agents/, providers/, scripts/, models/, pricing/}
    registry/litellm-pricing.json -> current/pricing/litellm-pricing.json

A commit is put together in its own directory, brought to the disk, renamed, and only then pointed to. Replacing
the link is the one step that changes what is served. So a crash at any moment leaves the old or the new content. All
methods block.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO

from jackfield.api.errors import Conflict
from jackfield.api.files import private_directory
from jackfield_registry.synced.index import NAME, PRICING, PRICING_FILE, SIGNATURE, BadIndex, RegistryIndex, parse
from jackfield_registry.synced.lockfile import NAME as LOCK
from jackfield_registry.synced.verifying import SIGNATURE_FILE_LIMIT, signed

MARK = "~"
"""Between a commit and a number: the name of one that is there already and damaged, or was published again."""
STAGING = ".staging-"
LINK = ".link-"
BLOCK = 1024 * 1024


class Content:
    """The directory `registry`: the files of each synced commit, and which commit is the current one."""

    def __init__(self, config_dir: Path) -> None:
        self.root = config_dir / "registry"
        self.commits = self.root / "commits"
        self._current = self.root / "current"

    # -- reading

    def current(self) -> Path | None:
        """The current commit's directory; None when there is none, or the link leads elsewhere."""
        try:
            target = self._current.readlink()
        except OSError:
            return None
        found = self.commits / target.name
        return found if target.parent.name == "commits" and found.is_dir() else None

    def copies(self, commit: str) -> list[Path]:
        """Directories of this commit, the newest first."""
        found = [path for path in self._all() if commit_of(path) == commit]
        return sorted(found, key=_age, reverse=True)

    def _all(self) -> list[Path]:
        try:
            return [path for path in self.commits.iterdir() if path.is_dir()]
        except OSError:
            return []

    # -- writing

    def acquire(self) -> Callable[[], None]:
        """Be the only one who writes, among processes too, until the caller calls the function that this returns.

        The remains of an earlier crash are cleared away. Raises `Conflict`, `ConfigurationError`, OSError.
        """
        private_directory(self.root)
        private_directory(self.commits)
        descriptor = os.open(self.root / ".syncing", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._clear()
        except BlockingIOError:
            os.close(descriptor)
            raise Conflict("A sync of this registry is running; wait for its end.") from None
        except BaseException:
            os.close(descriptor)
            raise
        return lambda: os.close(descriptor)

    def _clear(self) -> None:
        for path in self.root.iterdir():
            if path.name.startswith(STAGING):
                shutil.rmtree(path, ignore_errors=True)
            elif path.name.startswith((LINK, f".{LOCK}.")):
                path.unlink(missing_ok=True)

    def staging(self) -> Path:
        """Where a commit may be put together; the directory is not there yet."""
        return self.root / f"{STAGING}{secrets.token_hex(6)}"

    def install(self, staged: Path, commit: str) -> None:
        """Make what is staged the current content. Raises OSError."""
        for folder, _, _ in os.walk(staged):
            sync_directory(Path(folder))
        target = self.commits / commit
        if target.exists():
            target = self.commits / f"{commit}{MARK}{secrets.token_hex(3)}"
        staged.rename(target)
        sync_directory(self.commits)
        self.point_to(target)

    def point_to(self, folder: Path) -> None:
        """Make a commit that is here the current one. Raises OSError."""
        prices = self.root / PRICING_FILE
        if not (prices.is_symlink() or prices.exists()):
            self._link(prices, f"current/{PRICING}/{PRICING_FILE}")
        os.utime(folder)
        self._link(self._current, f"commits/{folder.name}")

    def _link(self, path: Path, target: str) -> None:
        fresh = self.root / f"{LINK}{secrets.token_hex(6)}"
        fresh.symlink_to(target)
        fresh.replace(path)
        sync_directory(self.root)

    def prune(self, keep: int, spared: Collection[str]) -> None:
        """Delete all but the `keep` commits that were present last, and those that are spared."""
        present = self.current()
        others = sorted((path for path in self._all() if path != present), key=_age, reverse=True)
        for path in others[keep - 1 :]:
            if commit_of(path) not in spared:
                # Under another name first: a commit that is half deleted must not be found as one that is here.
                doomed = self.root / f"{STAGING}{secrets.token_hex(6)}"
                with contextlib.suppress(OSError):
                    path.rename(doomed)
                shutil.rmtree(doomed, ignore_errors=True)

    def foreign_prices(self) -> Path | None:
        """The operator's own pricing file, which is left alone, in the place of the link."""
        prices = self.root / PRICING_FILE
        return prices if prices.is_file() and not prices.is_symlink() else None


def commit_of(folder: Path) -> str:
    return folder.name.partition(MARK)[0]


def _age(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def read_index(folder: Path, kinds: Collection[str]) -> RegistryIndex:
    """The index of a commit that is here. Raises `BadIndex`."""
    try:
        with opened(folder / NAME) as file:
            return parse(file.read(), kinds)
    except OSError as exc:
        raise BadIndex(exc.strerror or "it cannot be read") from None


def problems(folder: Path, kinds: Collection[str], public_key: str) -> list[str]:
    """The problems of a commit that is here, one clause for each file."""
    try:
        index = read_index(folder, kinds)
    except BadIndex as exc:
        return [f"{folder / NAME}: {exc}"]
    found = []
    if index.commit != commit_of(folder):
        found.append(f"{folder / NAME}: it is the index of commit {index.commit}")
    if public_key and not _has_good_signature(folder, public_key):
        found.append(f"{folder / SIGNATURE}: not signed by registry.public_key")
    expected = {artifact.place: artifact.checksum for artifact in index.artifacts}
    for place, checksum in expected.items():
        if digest(folder / place) != checksum:
            found.append(f"{folder / place}: missing, or its checksum is another")
    strange = {_below(path, folder) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}
    found += [f"{folder / place}: not in the index" for place in sorted(strange - {*expected, NAME, SIGNATURE})]
    return found


def _below(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _has_good_signature(folder: Path, public_key: str) -> bool:
    try:
        with opened(folder / SIGNATURE) as signature, opened(folder / NAME) as index:
            return signed(index.read(), signature.read(SIGNATURE_FILE_LIMIT), public_key)
    except OSError:
        return False


def digest(path: Path) -> str | None:
    """SHA-256 of a regular file, in hex; None when it cannot be read."""
    found = hashlib.sha256()
    try:
        with opened(path) as file:
            while block := file.read(BLOCK):
                found.update(block)
    except OSError:
        return None
    return found.hexdigest()


def opened(path: Path) -> BinaryIO:
    """A regular file to read: links are not followed, and a pipe is not waited for. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no plain file", str(path))
    return os.fdopen(descriptor, "rb")


def sync_directory(path: Path) -> None:
    """Entries that were made, renamed or deleted in a directory are on the disk once the directory is."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
