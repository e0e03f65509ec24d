"""Files over SFTP."""

from __future__ import annotations

import contextlib
import posixpath
import stat
from collections.abc import AsyncIterator, Iterator

import asyncssh

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.files import too_large
from jackfield_integrations.remote.file_server import listed, rights
from jackfield_integrations.remote.ssh_session import opened
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets

_CHUNK = 128 * 1024


class SftpServer:
    """`jackfield_integrations.remote.file_server.FileServer`."""

    def __init__(self, client: asyncssh.SFTPClient, values: DriverCredential, settings: IntegrationSettings) -> None:
        self._client = client
        self._values = values
        self._settings = settings

    @contextlib.contextmanager
    def _at(self, path: str) -> Iterator[None]:
        """Raises `NodeError` naming the path for what the server refuses."""
        try:
            yield
        except (asyncssh.Error, OSError) as exc:
            said = exc.reason if isinstance(exc, asyncssh.Error) else str(exc)
            raise NodeError(f"SFTP: {path}: {self._values.shown(said)}.") from None

    async def listing(self, path: str, *, recursive: bool) -> list[dict[str, Json]]:
        with self._at(path):
            return await listed(self._entries, path, recursive=recursive, most=self._settings.max_rows)

    async def _entries(self, path: str) -> AsyncIterator[dict[str, Json]]:
        async for entry in self._client.scandir(path):
            name = str(entry.filename)
            if name not in {".", ".."}:
                yield _described(posixpath.join(path, name), name, entry.attrs)

    async def content(self, path: str) -> AsyncIterator[bytes]:
        most = self._settings.max_bytes
        total = 0
        with self._at(path):
            async with self._client.open(path, "rb") as file:
                while chunk := await file.read(_CHUNK):
                    total += len(chunk)
                    if total > most:
                        raise too_large(most)
                    yield chunk if isinstance(chunk, bytes) else chunk.encode()

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        with self._at(path):
            await self._make_parents(path)
            async with self._client.open(path, "wb") as file:
                async for chunk in chunks:
                    await file.write(chunk)

    async def _make_parents(self, path: str) -> None:
        parent = posixpath.dirname(path)
        if parent and not await self._client.isdir(parent):
            await self._client.makedirs(parent, exist_ok=True)

    async def remove(self, path: str, *, folder: bool, recursive: bool) -> None:
        with self._at(path):
            if not folder:
                await self._client.remove(path)
            elif recursive:
                await self._client.rmtree(path)
            else:
                await self._client.rmdir(path)

    async def rename(self, old: str, new: str, *, make_directories: bool) -> None:
        with self._at(old):
            if make_directories:
                await self._make_parents(new)
            await self._client.rename(old, new)


def _described(path: str, name: str, attributes: asyncssh.SFTPAttrs) -> dict[str, Json]:
    mode = attributes.permissions or 0
    kind = "d" if stat.S_ISDIR(mode) else "l" if stat.S_ISLNK(mode) else "-"
    return {
        "type": kind,
        "name": name,
        "size": attributes.size,
        "modifyTime": _time(attributes.mtime),
        "accessTime": _time(attributes.atime),
        "rights": rights(mode),
        "owner": attributes.uid,
        "group": attributes.gid,
        "path": path,
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else iso(round(seconds * 1000))


@contextlib.asynccontextmanager
async def files_of(
    connection: asyncssh.SSHClientConnection, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[SftpServer]:
    """The files of a machine to which a connection is open. Raises `NodeError`."""
    try:
        client = await connection.start_sftp_client()
    except asyncssh.Error as exc:
        raise NodeError(f"The server does not offer SFTP: {values.shown(exc.reason)}.") from None
    async with client:
        yield SftpServer(client, values, settings)


@contextlib.asynccontextmanager
async def served(
    targets: Targets, values: DriverCredential, settings: IntegrationSettings
) -> AsyncIterator[SftpServer]:
    """The files of the credential's machine. Raises `NodeError`."""
    async with opened(targets, values, settings) as connection, files_of(connection, values, settings) as server:
        yield server
