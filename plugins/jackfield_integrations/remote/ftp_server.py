"""Files over FTP, with explicit TLS where the credential says so. Data connections go to the control connection's
address, whatever the server names."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePosixPath

import aioftp

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_integrations.files import too_large
from jackfield_integrations.remote.file_server import listed, rights
from jackfield_integrations.secret_values import DriverCredential
from jackfield_integrations.settings import IntegrationSettings
from jackfield_integrations.targets import Targets, tls_for

_CHUNK = 128 * 1024


class FtpServer:
    """`jackfield_integrations.remote.file_server.FileServer`."""

    def __init__(self, client: aioftp.Client, values: DriverCredential, settings: IntegrationSettings) -> None:
        self._client = client
        self._values = values
        self._settings = settings

    @contextlib.contextmanager
    def _at(self, path: str) -> Iterator[None]:
        """Raises `NodeError` naming the path for what the server refuses."""
        try:
            yield
        except aioftp.StatusCodeError as exc:
            said = " ".join(line.strip() for line in exc.info)
            raise NodeError(f"FTP: {path}: {self._values.shown(said)}.") from None
        except (aioftp.AIOFTPException, OSError, ValueError) as exc:
            raise NodeError(f"FTP: {path}: {self._values.shown(exc)}.") from None

    async def listing(self, path: str, *, recursive: bool) -> list[dict[str, Json]]:
        with self._at(path):
            return await listed(self._entries, path, recursive=recursive, most=self._settings.max_rows)

    async def _entries(self, path: str) -> AsyncIterator[dict[str, Json]]:
        async for entry, facts in self._client.list(path):
            if entry.name not in {"", ".", ".."}:
                yield _described(posixpath.join(path, entry.name), entry, facts)

    async def content(self, path: str) -> AsyncIterator[bytes]:
        most = self._settings.max_bytes
        total = 0
        with self._at(path):
            async with self._client.download_stream(path) as stream:
                async for chunk in stream.iter_by_block(_CHUNK):
                    total += len(chunk)
                    if total > most:
                        stream.close()
                        raise too_large(most)
                    yield chunk

    async def write(self, path: str, chunks: AsyncIterator[bytes]) -> None:
        with self._at(path):
            await self._make_parents(path)
            async with self._client.upload_stream(path) as stream:
                async for chunk in chunks:
                    await stream.write(chunk)

    async def _make_parents(self, path: str) -> None:
        parent = posixpath.dirname(path)
        if parent not in {"", "/"}:
            await self._client.make_directory(parent)

    async def remove(self, path: str, *, folder: bool, recursive: bool) -> None:
        with self._at(path):
            if not folder:
                await self._client.remove_file(path)
            elif recursive:
                await self._client.remove(path)
            else:
                await self._client.remove_directory(path)

    async def rename(self, old: str, new: str, *, make_directories: bool) -> None:
        with self._at(old):
            if make_directories:
                await self._make_parents(new)
            await self._client.rename(old, new)


def _described(path: str, entry: PurePosixPath, facts: Mapping[str, object]) -> dict[str, Json]:
    kind = {"dir": "d", "file": "-", "link": "l"}.get(str(facts.get("type")), "-")
    made: dict[str, Json] = {"type": kind, "name": entry.name, "size": int(str(facts.get("size") or 0))}
    made["modifyTime"] = _time(str(facts.get("modify") or ""))
    if "unix.mode" in facts:
        made["rights"] = rights(int(str(facts["unix.mode"])))
    made |= {"owner": _known(facts, "unix.owner"), "group": _known(facts, "unix.group"), "path": path}
    return made


def _known(facts: Mapping[str, object], name: str) -> str | None:
    return str(facts[name]) if name in facts else None


def _time(text: str) -> str | None:
    """RFC 3659 time, UTC."""
    try:
        return datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    except ValueError:
        return None


@contextlib.asynccontextmanager
async def served(targets: Targets, values: DriverCredential, settings: IntegrationSettings) -> AsyncIterator[FtpServer]:
    """A connection that is signed in. Raises `NodeError`."""
    host, port = values.needed("host"), values.port(21)
    tls = await tls_for(host, authorities=values.text("caCertificate")) if values.flag("secure") else None
    user, password = values.text("username", "anonymous"), values.text("password", "anonymous@")
    if any(ord(letter) < 32 for letter in user + password):
        raise NodeError("The credential ftp has control characters in its user or password; enter it again.")

    async def connect(address: str) -> aioftp.Client:
        client = aioftp.Client(socket_timeout=settings.timeout, connection_timeout=settings.connect_timeout)
        try:
            await client.connect(address, port)
            if tls:
                await client.upgrade_to_tls(tls)
            await client.login(user, password)
        except BaseException:
            client.close()
            raise
        return client

    client = await targets.reach(values, host, port, connect, [aioftp.AIOFTPException, ValueError])
    try:
        yield FtpServer(client, values, settings)
    finally:
        with contextlib.suppress(aioftp.AIOFTPException, OSError, ValueError, TimeoutError):
            async with asyncio.timeout(settings.connect_timeout):
                await client.quit()
        client.close()
