"""What both sides had last, in the store: every daemon of it knows the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.jsontext import dumps, loads
from jackfield.api.records import record
from jackfield.api.storage import Entry
from jackfield_git.comparing import digest
from jackfield_git.settings import GitSettings

_KIND, _ID = "git_base", "base"


@record
class Base:
    """files: path -> digest. revision: of the entry; None: there is none."""

    commit: str
    files: Mapping[str, str]
    revision: int | None = None


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
            return Base("", {}, revision)
        files = kept.get("files")
        return Base(
            str(kept.get("commit")), {k: str(v) for k, v in files.items()} if isinstance(files, dict) else {}, revision
        )

    async def keep(self, base: Base) -> None:
        """Raises `Conflict` when another daemon was quicker, `StoreUnavailable`."""
        data = dumps({"place": [*self._place], "commit": base.commit, "files": dict(base.files)})
        entry = Entry(_KIND, _ID, "", 0, (base.revision or 0) + 1, data)
        if not await self._context.store.put_entry(entry, base.revision):
            raise Conflict("Another daemon works with the repository; try again.")


def next_base(
    base: Base, commit: str, here: Mapping[str, bytes], there: Mapping[str, bytes], settled: Collection[str] = ()
) -> Base:
    """settled: paths that are from now on as they are there, whatever is here."""
    files = dict(base.files)
    for path in {*files, *here, *there}:
        if path in settled or here.get(path) == there.get(path):
            if path in there:
                files[path] = digest(there[path])
            else:
                files.pop(path, None)
    return Base(commit, files, base.revision)
