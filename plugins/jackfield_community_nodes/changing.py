"""One change of a host's packages at a time, over all of its processes; what a killed one left is removed."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.files import private_directory
from jackfield_community_nodes.packages import packages_directory, read_index


@asynccontextmanager
async def alone(context: PluginContext) -> AsyncIterator[None]:
    """Raises `Conflict` while another process changes the packages, `ConfigurationError`."""
    directory = packages_directory(context)
    descriptor = await asyncio.to_thread(_locked, directory)
    try:
        await asyncio.to_thread(_sweep, context, directory)
        yield
    finally:
        os.close(descriptor)


def _locked(directory: Path) -> int:
    """The directory itself, which takes no file for it; the kernel drops the lock with the process."""
    descriptor = os.open(private_directory(directory), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Conflict("Another process changes the community packages; try again when it has ended.") from None
    except OSError:
        pass  # a file system that locks no directories; within this process there is a lock, too
    return descriptor


def _sweep(context: PluginContext, directory: Path) -> None:
    """Directories that are in no index are of a change that was killed."""
    known = {package.directory for package in read_index(context).packages}
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink() and path.name not in known:
            shutil.rmtree(path, ignore_errors=True)
