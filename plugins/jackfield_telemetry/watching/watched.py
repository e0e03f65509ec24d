"""The sources whose logs are followed, and the directories that this means for the operating system."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.profiles import Profile, Profiles
from jackfield.api.records import record
from jackfield.api.telemetry import USAGE_READERS
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.service import UsageService, sources_of


@record
class WatchedDirectories:
    """`trees`: watched with all below. `directories`: the sources' own, watched alone. `direct`: those of them that
    have logs themselves. `left_out`: directories beyond the limit.
    """

    trees: frozenset[Path] = frozenset()
    directories: frozenset[Path] = frozenset()
    direct: frozenset[Path] = frozenset()
    left_out: int = 0


async def present_sources(context: PluginContext, service: UsageService) -> list[LogSource]:
    """The tools' own directories and those of profiles, as far as they exist. Each once."""
    own = await asyncio.to_thread(sources_of, service, None, None, dict(os.environ))
    found = {(source.reader.name, source.directory): source for source in own}
    try:
        profiles, agents = await context.port(Profiles).all(), await context.port(Agents).all()
    except (JackfieldError, LookupError):
        return list(found.values())
    logs = {name: (one.usage.reader, one.usage.directory) for name, one in agents.items() if one.usage is not None}
    for source in await asyncio.to_thread(_of_profiles, service, profiles, logs):
        found.setdefault((source.reader.name, source.directory), source)
    return list(found.values())


def _of_profiles(
    service: UsageService, profiles: Iterable[Profile], logs: Mapping[str, tuple[str, str]]
) -> list[LogSource]:
    readers = {reader.name: reader for reader in service.context.extensions(USAGE_READERS).values()}
    found = []
    for profile in profiles:
        name, directory = logs.get(profile.agent_id, ("", ""))
        place = Path(directory.replace("{home}", str(profile.home)))
        if name in readers and place.is_dir():
            found.append(LogSource(readers[name], place, profile.alias, profile.provider_id))
    return found


def places_of(sources: Sequence[LogSource], limit: int) -> WatchedDirectories:
    """Of a data directory only what has logs in it is watched with all below: beside them lie caches and repositories.
    Blocks."""
    trees, directories, direct = set[Path](), set[Path](), set[Path]()
    watched = left_out = 0
    for source in sources:
        tops = set[Path]()
        for file in source.reader.files(source.directory):
            top = source.directory / file.path.relative_to(source.directory).parts[0]
            if top == file.path:
                direct.add(source.directory)
            else:
                tops.add(top)
        count = 1 + sum(_size(top, limit) for top in tops)
        if watched + count > limit:
            left_out += count
            continue
        watched += count
        directories.add(source.directory)
        trees |= tops
    return WatchedDirectories(frozenset(trees), frozenset(directories), frozenset(direct & directories), left_out)


def _size(tree: Path, limit: int) -> int:
    """How many directories it has; counting ends beyond the limit."""
    count = 0
    for _ in os.walk(tree):
        count += 1
        if count > limit:
            break
    return count


def concerned(
    sources: Sequence[LogSource], places: WatchedDirectories, paths: Iterable[str]
) -> tuple[list[LogSource], bool]:
    """Sources whose logs these paths may be, and whether there is a new directory to be watched. Blocks."""
    by_directory: dict[Path, list[LogSource]] = {}
    for source in sources:
        by_directory.setdefault(source.directory, []).append(source)
    found: dict[int, LogSource] = {}
    fresh = False
    for path in map(Path, paths):
        if path.parent in places.directories and path not in places.trees:
            new = path.is_dir()
            fresh = fresh or new
            if not new and path.parent not in places.direct:
                continue
        for directory in path.parents:
            for source in by_directory.get(directory, ()):
                found[id(source)] = source
    return list(found.values()), fresh
