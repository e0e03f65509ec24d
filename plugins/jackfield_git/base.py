"""The last common state of both sides, in the store: every daemon of it knows the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.records import record, replace
from jackfield.api.storage import Entry
from jackfield_git.comparing import digest
from jackfield_git.settings import GitSettings

_KIND, _ID = "git_base", "base"


@record
class Base:
    """The last common state."""

    commit: str
    files: Mapping[str, str]
    """Path -> digest of what both had."""
    here: Mapping[str, str] = field(default_factory=dict)
    """The same of those that a pull wrote another way than they are there. That happens when a secret is missing here
    or another version of Jackfield wrote them."""
    revision: int | None = None
    """Of the entry; None: there is none."""
    aside: Mapping[str, str] = field(default_factory=dict)
    """As `files`, of folders that this daemon leaves out at present. They are kept as they are."""

    def within(self, folders: Collection[str]) -> Base:
        """The same, with all other folders aside."""
        every = {**self.files, **self.aside}
        inside = {path: one for path, one in every.items() if path.partition("/")[0] in folders}
        return replace(self, files=inside, aside={path: one for path, one in every.items() if path not in inside})


class BaseBook:
    """One entry; that of another repository or branch is none."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        settings = context.settings(GitSettings)
        self._place = [settings.url, settings.branch, settings.directory]

    async def base(self) -> Base:
        """Raises `StoreUnavailable`."""
        entry = await self._context.store.entry(_KIND, _ID)
        kept = loads(entry.data) if entry is not None else None
        revision = entry.revision if entry is not None else None
        if not isinstance(kept, dict) or kept.get("place") != self._place:
            return Base("", {}, revision=revision)
        return Base(str(kept.get("commit")), _digests(kept.get("files")), _digests(kept.get("here")), revision)

    async def keep(self, base: Base) -> None:
        """Raises `Conflict` when another daemon was quicker, `StoreUnavailable`."""
        files: dict[str, Json] = {**base.files, **base.aside}
        data = dumps({"place": [*self._place], "commit": base.commit, "files": files, "here": dict(base.here)})
        entry = Entry(_KIND, _ID, "", 0, (base.revision or 0) + 1, data)
        if not await self._context.store.put_entry(entry, base.revision):
            raise Conflict("Another daemon works with the repository; try again.")


def next_base(
    base: Base,
    commit: str,
    here: Mapping[str, bytes],
    there: Mapping[str, bytes],
    settled: Collection[str] = (),
    pulled: Collection[str] = (),
) -> Base:
    """`settled` has paths that are from now on as they are there, whatever is here. `pulled` has those of them that are
    here as the pull wrote them; `here` has them as they are now."""
    files, ours = dict(base.files), dict(base.here)
    for path in {*files, *here, *there}:
        if path in settled or here.get(path) == there.get(path):
            ours.pop(path, None)
            if path in there:
                files[path] = digest(there[path])
            else:
                files.pop(path, None)
            if path in pulled and path in here and here[path] != there.get(path):
                ours[path] = digest(here[path])
    return Base(commit, files, ours, base.revision, base.aside)


def _digests(kept: Json) -> dict[str, str]:
    return {path: str(one) for path, one in kept.items()} if isinstance(kept, dict) else {}
