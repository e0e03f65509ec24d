"""The profiles' directory in memory. A look costs one `stat` a file; only changed files are read. All of it blocks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.profiles import Profile
from jackfield.api.records import record
from jackfield_profiles import aliases
from jackfield_profiles.storage.files import SUFFIX, Damaged, Stamp, own, read, stamp_of


@record
class ProfileEntry:
    """One file as it was last read: a profile, or what is wrong."""

    stamp: Stamp | None
    profile: Profile | None = None
    problem: str = ""


@record
class ProfileListing:
    """The profiles that were there. `warnings`: one sentence for each damaged file."""

    profiles: Sequence[Profile] = ()
    warnings: Sequence[str] = ()


class ProfileIndex:
    """May be used by several threads: every method replaces what it found and changes nothing in place that another
    walks over."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._entries: Mapping[str, ProfileEntry] = {}
        self.last = ProfileListing()

    def path(self, alias: str) -> Path:
        return self._directory / f"{alias}{SUFFIX}"

    def look(self) -> ProfileListing:
        """All of it, as it is now."""
        known = self._entries
        found = {name: self._entry(name, entry, known.get(name)) for name, entry in self._files()}
        if found != known:
            self._entries = found
            self.last = ProfileListing(
                [entry.profile for _, entry in sorted(found.items()) if entry.profile is not None],
                [self._warning(name, entry.problem) for name, entry in sorted(found.items()) if entry.problem],
            )
        return self.last

    def find(self, alias: str) -> Profile | None:
        """None: there is no such file. Raises `Damaged`."""
        known = self._entries.get(alias)
        path = self.path(alias)
        try:
            stamp = stamp_of(path.lstat())
        except FileNotFoundError:
            return None
        if known is not None and known.stamp == stamp and known.profile is not None:
            return known.profile
        if self._is_another_name(alias):
            return None
        found = read(str(path))
        return own(found.content, alias) if found is not None else None

    def _is_another_name(self, alias: str) -> bool:
        """Whether the file is another profile's, on a file system that does not tell upper from lower case."""
        other = self._directory / f"{alias.swapcase()}{SUFFIX}"
        if alias == alias.swapcase() or not other.exists():
            return False
        return self.taken(alias) != alias

    def taken(self, alias: str) -> str | None:
        """The alias whose file stands in the way of this one: the same, or the same but for upper and lower case."""
        folded = alias.casefold()
        return next((name for name in self._names() if name.casefold() == folded), None)

    def count(self) -> int:
        return sum(1 for _ in self._names())

    def _names(self) -> Sequence[str]:
        try:
            found = os.listdir(self._directory)  # noqa: PTH208 - names are all that is wanted of thousands
        except FileNotFoundError:
            return []
        return [name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX) and not name.startswith(".")]

    def _files(self) -> Sequence[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(self._directory) as entries:
                return [
                    (entry.name.removesuffix(SUFFIX), entry)
                    for entry in entries
                    if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")
                ]
        except FileNotFoundError:
            return []

    def _entry(self, name: str, file: os.DirEntry[str], known: ProfileEntry | None) -> ProfileEntry:
        stamp = None  # of a new file, which is not looked at twice
        if known is not None:
            try:
                stamp = stamp_of(file.stat(follow_symlinks=False))
            except OSError:
                return ProfileEntry(None)  # removed while we looked
            if known.stamp == stamp:
                return known
        try:
            return self._read(name, file.path)
        except Damaged as exc:
            return ProfileEntry(stamp, problem=str(exc))

    def _read(self, name: str, path: str) -> ProfileEntry:
        if not aliases.is_alias(name):
            raise Damaged(f"its name is no alias: {aliases.RULE}")
        found = read(path)
        if found is None:
            return ProfileEntry(None)
        return ProfileEntry(found.stamp, own(found.content, name))

    def _warning(self, name: str, problem: str) -> str:
        return f"{self.path(name)}: {problem}; it is left out, and nothing overwrites it"
