"""Which packages one package needs, in which versions, and where each goes: as high as nothing is in the way."""

from __future__ import annotations

import asyncio
import platform
import sys
from collections.abc import Mapping, Sequence
from typing import cast

from jackfield.api.errors import InvalidInput, NotFound, UpstreamFailed
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_community_nodes.npm.names import N8N, is_name
from jackfield_community_nodes.npm.registry import NpmRegistry, Published
from jackfield_community_nodes.npm.versions import VersionRange

MODULES = "node_modules"
_SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "win32"}
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


@record
class Placed:
    """A package and the directory it goes to, such as `node_modules/axios`."""

    path: str
    published: Published


@record
class _Wanted:
    name: str
    range: str
    above: str
    """Directory of the package that wants it; empty: nobody, it is what is installed."""
    optional: bool = False


async def resolved(registry: NpmRegistry, name: str, version: str, most: int) -> Sequence[Placed]:
    """The package, first, and all that it needs. version: a version, a range or a tag; empty: the newest. most:
    packages beside it. Raises `InvalidInput`, `NotFound`, `UpstreamFailed`."""
    first = await find(registry, name, version or "latest")
    tree = _Tree(Placed(f"{MODULES}/{name}", first))
    level = _wanted_by(tree.first)
    while level:
        names = {each.name for each in level}
        if len(names) > most:
            raise _too_many(name, most)
        await asyncio.gather(*(registry.document(one) for one in names), return_exceptions=True)
        following: list[_Wanted] = []
        for wanted in level:
            placed = await _placed(registry, tree, wanted)
            if placed is not None:
                tree.put(placed)
                following += _wanted_by(placed)
            if len(tree.places) > most + 1:
                raise _too_many(name, most)
        level = following
    return list(tree.places.values())


def _too_many(name: str, most: int) -> InvalidInput:
    return InvalidInput(f"{name} needs more than {most} packages; raise community_nodes.max_dependencies to allow it.")


async def find(registry: NpmRegistry, name: str, wanted: str) -> Published:
    """The version that a version, a range or a tag names. Raises `NotFound`, `InvalidInput`."""
    document = await registry.document(name)
    versions = cast("Mapping[str, Json]", document["versions"])
    tags = document.get("dist-tags")
    tagged = tags.get(wanted) if isinstance(tags, dict) else None
    chosen: str | None = tagged if isinstance(tagged, str) else wanted if wanted in versions else None
    if chosen is None:
        chosen = await asyncio.to_thread(_best, name, wanted, versions, tags)
    described = versions.get(chosen) if chosen else None
    if not isinstance(described, dict):
        raise NotFound(f"The registry has no version {wanted[:80]} of {name}.")
    return published_of(name, chosen or "", described)


def _best(name: str, wanted: str, versions: Mapping[str, Json], tags: Json) -> str | None:
    """As npm: the one with the tag `latest` where it fits, else the highest."""
    try:
        range_ = VersionRange(wanted)
    except ValueError:
        raise InvalidInput(f"{wanted[:80]!r} is no version of {name} that a registry has.") from None
    latest = tags.get("latest") if isinstance(tags, dict) else None
    if isinstance(latest, str) and range_.best([latest]):
        return latest
    return range_.best(versions)


def published_of(name: str, version: str, described: Mapping[str, Json]) -> Published:
    """A registry's description of one version. Raises `UpstreamFailed`."""
    dist = described.get("dist")
    tarball = dist.get("tarball") if isinstance(dist, dict) else None
    if not isinstance(dist, dict) or not isinstance(tarball, str):
        raise UpstreamFailed(f"The registry names no archive of {name} {version}.")
    optional = _texts(described.get("optionalDependencies"))
    meta = described.get("peerDependenciesMeta")
    loose = (
        {one for one, said in meta.items() if isinstance(said, dict) and said.get("optional")}
        if isinstance(meta, dict)
        else set()
    )
    peers = {one: text for one, text in _texts(described.get("peerDependencies")).items() if one not in loose}
    dependencies = {one: text for one, text in _texts(described.get("dependencies")).items() if one not in optional}
    integrity, sha1 = dist.get("integrity"), dist.get("shasum")
    return Published(
        name, version, tarball, integrity if isinstance(integrity, str) else "", sha1 if isinstance(sha1, str) else "",
        dependencies, optional, peers, _fits_here(described),
    )  # fmt: skip


def _texts(given: Json) -> dict[str, str]:
    return {name: text for name, text in given.items() if isinstance(text, str)} if isinstance(given, dict) else {}


def _fits_here(described: Mapping[str, Json]) -> bool:
    """Whether it runs on this system: `os`, `cpu` and `libc`, of which each may exclude with `!`."""
    here = (
        ("os", _SYSTEMS.get(sys.platform, sys.platform)),
        ("cpu", _MACHINES.get(platform.machine().lower(), platform.machine())),
        ("libc", "glibc" if platform.libc_ver()[0] == "glibc" else "musl"),
    )
    for key, own in here:
        listed = described.get(key)
        named = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        if f"!{own}" in named or (any(not one.startswith("!") for one in named) and own not in named):
            return False
    return True


class _Tree:
    def __init__(self, first: Placed) -> None:
        self.first = first
        self.places = {first.path: first}

    def put(self, placed: Placed) -> None:
        self.places[placed.path] = placed

    def seen(self, above: str, name: str) -> Placed | None:
        """The package that `require(name)` finds in the package at `above`."""
        for directory in _directories(above):
            if (found := self.places.get(f"{directory}{MODULES}/{name}")) is not None:
                return found
        return None

    def place(self, above: str, name: str) -> str:
        """Where one goes that is not seen from there, or in a wrong version."""
        top = f"{MODULES}/{name}"
        return f"{above}/{MODULES}/{name}" if top in self.places else top


def _directories(above: str) -> Sequence[str]:
    """From inside to outside, each with its `/`: those in which Node looks for `node_modules`."""
    found = [f"{above}/"]
    while f"/{MODULES}/" in above:
        above = above.rpartition(f"/{MODULES}/")[0]
        found.append(f"{above}/")
    return [*found, ""]


def _wanted_by(placed: Placed) -> list[_Wanted]:
    published = placed.published
    needed = {**published.peers, **published.dependencies}
    found = [_Wanted(name, text, placed.path) for name, text in needed.items() if name not in N8N]
    return found + [
        _Wanted(name, text, placed.path, True) for name, text in published.optional.items() if name not in N8N
    ]


async def _placed(registry: NpmRegistry, tree: _Tree, wanted: _Wanted) -> Placed | None:
    """None: it is there already, or may be missing."""
    name, asked = _aliased(wanted)
    present = tree.seen(wanted.above, wanted.name)
    if present is not None and _satisfies(present.published, name, asked):
        return None
    try:
        found = await find(registry, name, asked)
    except (InvalidInput, NotFound):
        if wanted.optional:
            return None
        raise
    if wanted.optional and not found.fits_here:
        return None
    return Placed(tree.place(wanted.above, wanted.name), found)


def _aliased(wanted: _Wanted) -> tuple[str, str]:
    """`npm:other@^1` names another package. Raises `InvalidInput` for what is in no registry."""
    name, asked = wanted.name, wanted.range.strip() or "*"
    if asked.startswith("npm:"):
        name, separator, asked = asked[4:].rpartition("@")
        if not separator or not name:
            name, asked = wanted.range[4:], "*"
    if not is_name(name) or not is_name(wanted.name) or ":" in asked or "/" in asked:
        raise InvalidInput(
            f"{wanted.above.rpartition(MODULES + '/')[2]} needs {wanted.name[:80]} from elsewhere than the registry "
            f"({asked[:80]}), which is not installed."
        )
    return name, asked


def _satisfies(present: Published, name: str, asked: str) -> bool:
    if present.name != name:
        return False
    try:
        return asked == "latest" or VersionRange(asked).best([present.version]) is not None
    except ValueError:
        return asked == present.version
