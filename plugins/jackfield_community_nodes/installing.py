"""Brings one package with all that it needs into its own directory, checked and described. No code of it runs but
for the description, in its sandbox: scripts of npm never do."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, UpstreamFailed
from jackfield.api.files import private_directory, write_private
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_community_nodes.kinds import KIND, is_signed
from jackfield_community_nodes.npm.archives import unpack
from jackfield_community_nodes.npm.registry import NpmRegistry
from jackfield_community_nodes.npm.resolving import MODULES, Placed, resolved
from jackfield_community_nodes.packages import (
    DESCRIPTION,
    InstalledPackage,
    LockedPackage,
    PackagedCredential,
    PackageDescription,
    PackagedNode,
    packages_directory,
)
from jackfield_community_nodes.processes.pools import PackageFailed, PackageProcesses
from jackfield_community_nodes.settings import CommunityNodesSettings
from jackfield_community_nodes.working import missing_of

_AT_ONCE = 8
"""Archives that come, or wait until they are unpacked, at a time."""
_STATIC = b"getWorkflowStaticData"
NPM_TIMEOUT = 20.0
"""Seconds that npm may take to say where its registry is."""


class Installer:
    """Of one daemon; one at a time, which `Changes` sees to."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(CommunityNodesSettings)
        self._processes = context.port(PackageProcesses)

    async def install(self, name: str, version: str, integrity: str) -> InstalledPackage:
        """The package, in its own directory, in no index yet. integrity: the hash that its archive must have;
        empty: the one that the registry announces. Raises `JackfieldError`."""
        directory = await asyncio.to_thread(self._fresh, name)
        try:
            async with asyncio.timeout(self._settings.install_timeout):
                return await self._into(directory, name, version, integrity)
        except BaseException as exc:
            await self._processes.forget(directory)
            await asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True)
            if isinstance(exc, TimeoutError):
                raise UpstreamFailed(
                    f"{name} was not there within {self._settings.install_timeout:g} seconds "
                    "(community_nodes.install_timeout)."
                ) from None
            raise

    def _fresh(self, name: str) -> Path:
        above = private_directory(packages_directory(self._context))
        return Path(tempfile.mkdtemp(prefix=f"{name.replace('/', '+').lstrip('@')}-", dir=above))

    async def _into(self, directory: Path, name: str, version: str, integrity: str) -> InstalledPackage:
        url = self._settings.registry or await npm_registry()
        async with NpmRegistry(url, self._settings.registry_token, self._settings.download_timeout) as registry:
            placed = await resolved(registry, name, version, self._settings.max_dependencies)
            hashes = await self._files(registry, placed, directory)
        first = placed[0].published
        if integrity and hashes[0] != integrity:
            raise InvalidInput(
                f"The archive of {name} {first.version} has the hash {hashes[0]}, not the one that you gave.",
                details={"integrity": "is not the archive's"},
            )
        manifest = await asyncio.to_thread(_manifest, directory / MODULES / name)
        described = await self._described(directory, name, manifest)
        await asyncio.to_thread(write_private, directory / DESCRIPTION, described.model_dump_json().encode())
        await asyncio.to_thread(os.sync)  # the index is durable, so what it names must be
        locked = [
            LockedPackage(path=one.path, name=one.published.name, version=one.published.version, integrity=found)
            for one, found in zip(placed[1:], hashes[1:], strict=True)
        ]
        return InstalledPackage(
            name=name,
            version=first.version,
            integrity=hashes[0],
            directory=directory.name,
            installed_at=self._context.clock.now_ms(),
            license=_text(manifest.get("license"))[:80],
            summary=_text(manifest.get("description"))[:500],
            static=await asyncio.to_thread(_uses, directory / MODULES / name, _STATIC),
            dependencies=locked,
            nodes=_nodes(name, described),
            credentials=_credentials(described),
            problems=[problem[:500] for problem in described.problems],
        )

    async def _files(self, registry: NpmRegistry, placed: Sequence[Placed], directory: Path) -> list[str]:
        """Each package where it belongs; their hashes, in the same order. Those above others come first."""
        turn, room = asyncio.Semaphore(_AT_ONCE), self._settings.max_size << 20
        hashes: list[str] = []

        async def fetched(number: int, one: Placed) -> str:
            await turn.acquire()  # until it is unpacked: no more archives than that are on the disk
            return await registry.download(one.published, directory / f"archive-{number}.tgz")

        tasks = [asyncio.ensure_future(fetched(number, one)) for number, one in enumerate(placed)]
        try:
            for number, (one, task) in enumerate(zip(placed, tasks, strict=True)):
                hashes.append(await task)
                archive = directory / f"archive-{number}.tgz"
                room -= await asyncio.to_thread(unpack, archive, directory / one.path, room)
                await asyncio.to_thread(archive.unlink)
                turn.release()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return hashes

    async def _described(self, directory: Path, name: str, manifest: Mapping[str, Any]) -> PackageDescription:
        """By the package's own classes, which run for that in its sandbox."""
        listed = manifest.get("n8n")
        files = {key: _files(listed, key) for key in ("nodes", "credentials")}
        if not files["nodes"]:
            raise InvalidInput(f"{name} is no package of nodes: its package.json lists none under n8n.nodes.")
        try:
            found = await self._processes.ask(directory, name, {"kind": "describe", **files}, _nothing)
        except PackageFailed as exc:
            raise InvalidInput(f"{name} cannot be read: {exc.failure.message}") from None
        except NodeError as exc:
            raise InvalidInput(exc.message) from None
        try:
            described = await asyncio.to_thread(PackageDescription.model_validate, found)
        except ValidationError:
            raise InvalidInput(f"{name} describes its nodes in a way that nobody understands.") from None
        if not described.nodes:
            raise InvalidInput(f"No node of {name} can be loaded. {' '.join(described.problems)[:1000]}")
        return described


async def _nothing(what: str, _given: Mapping[str, Any]) -> Json:
    raise NodeError(f"Nothing is there while a package is described ({what[:20]}).")


async def npm_registry() -> str:
    """Where npm gets its packages. Raises `InvalidInput`."""
    try:
        process = await asyncio.create_subprocess_exec(
            "npm", "config", "get", "registry",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        async with asyncio.timeout(NPM_TIMEOUT):
            said, _ = await process.communicate()
    except (OSError, TimeoutError):
        said = b""
    found = said.decode("utf-8", "replace").strip()
    if not re.fullmatch(r"https?://\S+", found):
        raise InvalidInput("There is no npm that names its registry; set community_nodes.registry to its URL.")
    return found


def _manifest(directory: Path) -> Mapping[str, Any]:  # Any: JSON of the package
    try:
        found = orjson.loads((directory / "package.json").read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInput("The package has no package.json that is an object.")
    return found


def _files(listed: object, key: str) -> list[str]:
    given = listed.get(key) if isinstance(listed, dict) else None
    found = [one for one in given if isinstance(one, str)] if isinstance(given, list) else []
    return [one for one in found if ".." not in Path(one).parts and not Path(one).is_absolute()]


def _uses(directory: Path, word: bytes) -> bool:
    return any(
        word in path.read_bytes()
        for path in directory.rglob("*.js")
        if MODULES not in path.parts[len(directory.parts) :]
    )


def _nodes(package: str, described: PackageDescription) -> list[PackagedNode]:
    found: dict[str, PackagedNode] = {}
    for node in described.nodes:
        newest = node.types[-1]
        name = newest.description.get("name")
        if isinstance(name, str) and KIND.fullmatch(name):
            kind = f"{package}.{name}"
            title = _text(newest.description.get("displayName")) or name
            found.setdefault(
                kind, PackagedNode(kind=kind, file=node.file, title=title[:100], missing=missing_of(newest))
            )
    return list(found.values())


def _credentials(described: PackageDescription) -> list[PackagedCredential]:
    found: dict[str, PackagedCredential] = {}
    for one in described.credentials:
        name = one.credential.get("name")
        if isinstance(name, str) and KIND.fullmatch(name):
            found.setdefault(name, PackagedCredential(kind=name, file=one.file, signed=is_signed(one)))
    return list(found.values())


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
