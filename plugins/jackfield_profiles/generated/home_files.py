"""Files below a profile's home, reached one directory at a time.

No link is followed, so that no name and no link leads out of it. Everything blocks: call it on a thread.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Self

from jackfield.api.errors import InvalidInput
from jackfield.api.files import private_directory

OWN = ".jackfield"
"""The directory in a home that is ours."""
_PAUSE = 0.02


class HomeFiles:
    """relative: normalised, with `/`. Every method raises `InvalidInput` naming the file that the system refuses."""

    def __init__(self, home: Path) -> None:
        self._home = home
        with _named(home, ""):
            if not home.is_dir():
                private_directory(home)
            self._root = os.open(home, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> Iterator[None]:
        """Alone among all processes that write this home; waits `timeout` seconds for it."""
        with self._directory(f"{OWN}/lock", make=True) as folder, _named(self._home, f"{OWN}/lock"):
            descriptor = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            self._lock(descriptor, time.monotonic() + timeout)
            yield
        finally:
            os.close(descriptor)

    def _lock(self, descriptor: int, deadline: float) -> None:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise InvalidInput(
                        f"Another start has been writing the home {self._home} for too long; try again.",
                        code="HOME_BUSY",
                    ) from None
                time.sleep(_PAUSE)
            else:
                return

    def read(self, relative: str, limit: int) -> bytes | None:
        """The content; None when there is no such file."""
        try:
            with self._directory(relative, make=False) as folder, _named(self._home, relative):
                name = PurePosixPath(relative).name
                descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InvalidInput(f"{self._home / relative} is no ordinary file; move it away.", code="HOME_FILE")
        with os.fdopen(descriptor, "rb") as file, _named(self._home, relative):
            content = file.read(limit + 1)
        if len(content) > limit:
            raise InvalidInput(
                f"{self._home / relative} has more than {limit} bytes; raise profiles.run.max_file_bytes or make it "
                "smaller.",
                code="HOME_FILE",
            )
        return content

    def write(self, relative: str, content: bytes) -> None:
        """Atomically, mode 0600; directories that are missing are made with 0700."""
        name = PurePosixPath(relative).name
        with self._directory(relative, make=True) as folder, _named(self._home, relative):
            fresh = f".{name[:200]}.{secrets.token_hex(4)}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(fresh, flags, 0o600, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(descriptor)
                os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(fresh, dir_fd=folder)
                raise
            os.fsync(folder)

    def close_to_others(self, relative: str) -> None:
        """Mode 0600, if it has another."""
        with self._directory(relative, make=False) as folder, _named(self._home, relative):
            name = PurePosixPath(relative).name
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            try:
                if os.fstat(descriptor).st_mode & 0o077:
                    os.fchmod(descriptor, 0o600)
            finally:
                os.close(descriptor)

    def remove(self, relative: str) -> None:
        """It may be gone already."""
        with (
            contextlib.suppress(FileNotFoundError),
            self._directory(relative, make=False) as folder,
            _named(self._home, relative),
        ):
            os.unlink(PurePosixPath(relative).name, dir_fd=folder)

    def make_directory(self, relative: str) -> None:
        """With all above it, 0700."""
        with self._directory(f"{relative}/x", make=True):
            pass

    @contextlib.contextmanager
    def _directory(self, relative: str, *, make: bool) -> Iterator[int]:
        """A descriptor of the directory that the file is in. Raises FileNotFoundError unless it is made."""
        here = os.dup(self._root)
        try:
            for part in PurePosixPath(relative).parts[:-1]:
                with _named(self._home, relative):
                    if make:
                        with contextlib.suppress(FileExistsError):
                            os.mkdir(part, 0o700, dir_fd=here)
                    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                    below = os.open(part, flags, dir_fd=here)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)


@contextlib.contextmanager
def _named(home: Path, relative: str) -> Iterator[None]:
    """A missing file is the caller's affair; any other error names the file and the remedy."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as exc:
        linked = exc.errno in (errno.ELOOP, errno.ENOTDIR)
        why = "a part of it is a link or no directory, and links are not followed" if linked else exc.strerror
        path = home / relative if relative else home
        raise InvalidInput(f"{path} cannot be used: {why}.", code="HOME_FILE") from None
