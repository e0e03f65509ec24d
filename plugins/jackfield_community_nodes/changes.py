"""Adds, updates and removes packages by an administrator's word; tells the kernel and the host's other processes."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from jackfield.api.bus import Bus
from jackfield.api.context import PluginContext
from jackfield.api.credentials import CREDENTIAL_KINDS
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.nodes.changing import ChangingNodes
from jackfield_community_nodes.changing import alone
from jackfield_community_nodes.installing import Installer
from jackfield_community_nodes.library import Library
from jackfield_community_nodes.npm.names import checked_name
from jackfield_community_nodes.offers import TOPIC
from jackfield_community_nodes.packages import InstalledPackage, read_index, root_of, write_index
from jackfield_community_nodes.processes.pools import PackageProcesses
from jackfield_community_nodes.settings import CommunityNodesSettings


class Changes:
    """One at a time."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._library = context.port(Library)
        self._lock = asyncio.Lock()

    async def packages(self) -> Sequence[InstalledPackage]:
        found = await asyncio.to_thread(self._library.packages)
        return list(found.values())

    async def add(self, name: str, version: str, integrity: str) -> InstalledPackage:
        """Raises `Conflict` when it is there, and what `Installer.install` raises."""
        checked_name(name)
        async with self._change():
            if name in await self._present():
                raise Conflict(f"{name} is there already; update it instead.")
            return await self._replace(None, name, version, integrity)

    async def update(self, name: str, version: str, integrity: str) -> InstalledPackage:
        """To a version; empty: the newest. Raises `NotFound`, and as `add`; then the current one stays."""
        async with self._change():
            present = self._one(await self._present(), name)
            return await self._replace(present, name, version, integrity)

    async def remove(self, name: str) -> None:
        """Raises `NotFound`."""
        async with self._change():
            present = self._one(await self._present(), name)
            await self._write(name, None)
            await self._end(present)

    @asynccontextmanager
    async def _change(self) -> AsyncIterator[None]:
        self._require_allowed()
        async with self._lock, alone(self._context):
            yield

    def _require_allowed(self) -> None:
        if self._context.settings(CommunityNodesSettings).changes == "none":
            raise InvalidInput("Community nodes are not changed here: community_nodes.changes is none.")

    async def _present(self) -> dict[str, InstalledPackage]:
        """As the index has them now, which another process may have written."""
        index = await asyncio.to_thread(read_index, self._context)
        return {package.name: package for package in index.packages}

    @staticmethod
    def _one(packages: dict[str, InstalledPackage], name: str) -> InstalledPackage:
        if name not in packages:
            raise NotFound(f"No community package has the name {name[:80]} here.")
        return packages[name]

    async def _replace(
        self, present: InstalledPackage | None, name: str, version: str, integrity: str
    ) -> InstalledPackage:
        made = await Installer(self._context).install(name, version, integrity)
        if present is not None:
            made = made.model_copy(update={"first_added_at": present.age[0]})
        await self._write(name, made)
        if present is not None:
            await self._end(present)
        return made

    async def _write(self, name: str, made: InstalledPackage | None) -> None:
        present = await self._present()
        present.pop(name, None)
        packages = [*present.values(), *((made,) if made else ())]
        await asyncio.to_thread(write_index, self._context, packages)
        await self.reread()
        self._context.port(Bus).publish(TOPIC, {})

    async def reread(self) -> None:
        """Have node types and kinds of credentials follow the index."""
        if await asyncio.to_thread(self._library.reread):
            await asyncio.to_thread(self._context.port(ChangingNodes).renew, "community_nodes")
            await asyncio.to_thread(self._context.extensions, CREDENTIAL_KINDS)  # reads descriptions

    async def _end(self, package: InstalledPackage) -> None:
        """Its processes and its files. Another process that still runs one of it keeps what it has open."""
        root = root_of(self._context, package)
        await self._context.port(PackageProcesses).forget(root)
        await asyncio.to_thread(shutil.rmtree, root, ignore_errors=True)
