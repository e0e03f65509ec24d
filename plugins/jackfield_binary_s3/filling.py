"""Bringing the files of a directory `binary/` into the bucket: what the driver `disk` has kept, under the same ids."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import field
from pathlib import Path

from jackfield.api.binary import BinaryStore, BinaryUnavailable
from jackfield.api.binary_drivers import is_execution_id, is_file_id
from jackfield.api.context import PluginContext
from jackfield.api.errors import BinaryStoreUnavailable, ConfigurationError
from jackfield.api.records import state
from jackfield_binary_s3.references import FilesGoing
from jackfield_binary_s3.store import S3BinaryStore

_PIECE = 2**20
_AT_ONCE = 4
"""Files that are sent side by side."""
_PATIENCE, _PAUSE = 60.0, 0.5
"""Seconds for another daemon to delete what it has begun to, and between two looks."""
_GOING = (
    "Another daemon has begun to delete files of this directory from the bucket, and has not ended. Run it again; if "
    "the daemon has died, the next sweep goes on after binary.s3.release_age."
)


@state
class Filled:
    """executions: that have files; there: files that the bucket had; sent, size: files and bytes that it has got;
    damaged: ids of files that cannot be read or whose content is not theirs, which were left out."""

    executions: int = 0
    there: int = 0
    sent: int = 0
    size: int = 0
    damaged: list[str] = field(default_factory=list)


async def fill(context: PluginContext, directory: Path | None) -> Filled:
    """directory: `binary/` of a configuration directory; None: of this one. Repeated, it goes on where it was. Raises
    `ConfigurationError`, `BinaryStoreUnavailable`."""
    store = context.port(BinaryStore)
    if not isinstance(store, S3BinaryStore):
        raise ConfigurationError("There is no bucket to bring files to: set binary.name to s3, and [binary.s3].")
    root = directory or context.service.config_dir / "binary"
    if not await asyncio.to_thread((root / "executions").is_dir):
        raise ConfigurationError(f"{root} holds no files of executions.")
    try:
        return await _filled(context, store, root / "executions")
    except BinaryUnavailable as exc:
        raise BinaryStoreUnavailable(exc.message) from None


async def _filled(context: PluginContext, store: S3BinaryStore, executions: Path) -> Filled:
    done, seen = Filled(), set[str]()
    for execution_id in filter(is_execution_id, await asyncio.to_thread(_names, executions)):
        files = [name for name in await asyncio.to_thread(_names, executions / execution_id) if is_file_id(name)]
        if not files:
            continue
        done.executions += 1
        await _referred(context, store, execution_id, files)
        fresh = [file_id for file_id in files if file_id not in seen]
        seen.update(fresh)
        for start in range(0, len(fresh), _AT_ONCE):
            part = fresh[start : start + _AT_ONCE]
            await _all(_send(store, execution_id, executions / execution_id / file_id, done) for file_id in part)
    return done


async def _referred(context: PluginContext, store: S3BinaryStore, execution_id: str, files: Sequence[str]) -> None:
    """What a daemon deletes at this moment comes anew behind it. Raises `BinaryUnavailable`."""
    deadline = context.clock.monotonic() + _PATIENCE
    while True:
        try:
            return await store.refer(execution_id, files)
        except FilesGoing:
            if context.clock.monotonic() >= deadline:
                raise BinaryUnavailable(_GOING) from None
        await context.clock.sleep(_PAUSE)


async def _all(works: Iterable[Awaitable[None]]) -> None:
    """Side by side, each to its end. Raises what the first of them raised."""
    for error in await asyncio.gather(*works, return_exceptions=True):
        if error is not None:
            raise error


async def _send(store: S3BinaryStore, execution_id: str, file: Path, done: Filled) -> None:
    """Its name is its digest. Raises `BinaryUnavailable`."""
    try:
        size = (await asyncio.to_thread(file.stat)).st_size
        if await store.bucket.size_of(file.name) == size:
            done.there += 1
        elif await _sent(store, execution_id, file):
            done.sent += 1
            done.size += size
        else:
            done.damaged.append(file.name)
    except FileNotFoundError:
        """The daemon that uses the directory has let go of it."""
    except OSError:
        done.damaged.append(file.name)


async def _sent(store: S3BinaryStore, execution_id: str, file: Path) -> bool:
    """False for content that is not the file's, which is given up."""
    upload, digest = store.upload(execution_id, file.name), hashlib.sha256()
    stream = await asyncio.to_thread(file.open, "rb")
    try:
        while piece := await asyncio.to_thread(stream.read, _PIECE):
            digest.update(piece)
            await upload.write(piece)
        if digest.hexdigest() != file.name:
            return False
        await upload.commit(b"")
        return True
    finally:
        stream.close()
        await upload.close()


def _names(directory: Path) -> Iterable[str]:
    try:
        return sorted(os.listdir(directory))  # noqa: PTH208 - names alone, of maybe many
    except (FileNotFoundError, NotADirectoryError):
        return []
