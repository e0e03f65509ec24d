"""Status, differences, push and pull."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, JackfieldError, NotFound
from jackfield.api.hosts import Hosts
from jackfield.api.jsontext import Json
from jackfield.api.memos import Memos, leased
from jackfield.api.portable_documents import PortableEvaluations, PortableProfiles
from jackfield.api.projects import reaching
from jackfield.api.records import record
from jackfield_git.base import Base, BaseBook, next_base
from jackfield_git.comparing import GitChange, changes
from jackfield_git.environment import pulling
from jackfield_git.program.repository import GitRepository
from jackfield_git.settings import GitSettings
from jackfield_git.tracked.files import TrackedFile, TrackedKind, canonical, document_of, text_of
from jackfield_git.tracked.portable import TrackedDocuments
from jackfield_git.tracked.stubs import TrackedCredentials, TrackedTables, TrackedVariables
from jackfield_git.tracked.workflows import TrackedWorkflows

_LEASE = "git-source-control"
DoneT = TypeVar("DoneT")
_SPARE = 600.0
"""Seconds that the work in the store may take beside git's runs."""


@record
class GitStatus:
    """commit: the branch's tip; empty: there is no branch yet. titles: by path, of what is here."""

    commit: str
    base: str
    changes: Sequence[GitChange]
    titles: Mapping[str, str]


@record
class PulledFile:
    """message: why it failed; empty: it is here now."""

    path: str
    message: str = ""


@record
class PullChoice:
    """Of what has changed on both sides. ours, theirs: paths; all_ours, all_theirs: of every other path."""

    ours: frozenset[str] = frozenset()
    theirs: frozenset[str] = frozenset()
    all_ours: bool = False
    all_theirs: bool = False

    def of(self, path: str) -> str:
        """`ours`, `theirs`, or nothing."""
        if path in self.ours:
            return "ours"
        if path in self.theirs:
            return "theirs"
        return "ours" if self.all_ours else "theirs" if self.all_theirs else ""


@record
class PullResult:
    """backup: a commit in the daemon's own copy with what was here before."""

    commit: str
    backup: str
    files: Sequence[PulledFile] = field(default_factory=tuple)


@record
class _Sides:
    base: Base
    kinds: Sequence[TrackedKind]
    here: Mapping[str, bytes]
    titles: Mapping[str, str]
    commit: str
    there: Mapping[str, bytes]
    changes: Sequence[GitChange]


class SourceControl:
    """One piece of work at a time, among all daemons of the store. The repository has what every project has, whichever
    project the caller looks at. Anything left out of one side would be removed from the other. A caller who hangs up
    stops neither a push nor a pull in the middle."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(GitSettings)
        self.repository = GitRepository(context)
        self._book = BaseBook(context)
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[object]] = set()
        self._before: Sequence[TrackedKind] = (
            TrackedTables(context), TrackedVariables(context), TrackedCredentials(context)
        )  # fmt: skip
        self._workflows = TrackedWorkflows(context)

    async def status(self) -> GitStatus:
        """Raises `JackfieldError`."""
        async with self._alone():
            sides = await self._sides()
        return GitStatus(sides.commit, sides.base.commit, sides.changes, sides.titles)

    async def difference(self, path: str) -> str:
        """From what is in the repository to what is here, as a unified difference. Raises `NotFound`."""
        async with self._alone():
            sides = await self._sides()
            if path not in sides.here and path not in sides.there:
                raise NotFound("Neither the repository nor this daemon has this file.")
            return await self.repository.difference(sides.there.get(path, b""), sides.here.get(path, b""))

    async def push(self, message: str, paths: Sequence[str], *, force: bool) -> GitStatus:
        """Commit what has changed here. paths: of what; none: everything. Raises `Conflict` with what has changed there
        too, unless force; and for a protected branch whatever is forced."""
        if self._settings.read_only:
            raise Conflict("This environment is read-only: git.read_only lets nothing be pushed.")
        if self._settings.is_protected:
            raise Conflict(
                f"git.protected_branches protects the branch {self._settings.branch}. Push from a daemon with another "
                "git.branch, open a pull request at your git server, and pull here when it is merged.",
                code="PROTECTED_BRANCH",
            )
        return await self._finish(self._push(message, paths, force=force))

    async def _push(self, message: str, paths: Sequence[str], *, force: bool) -> GitStatus:
        async with self._alone():
            sides = await self._sides()
            chosen = [each for each in _chosen(sides.changes, paths) if each.side != "there"]
            _refuse([each for each in chosen if each.side == "both" and not force], "Pull first, or push with force.")
            if not chosen:
                base = await asyncio.to_thread(next_base, sides.base, sides.commit, sides.here, sides.there)
                await self._book.keep(base)
                return GitStatus(sides.commit, sides.base.commit, sides.changes, sides.titles)
            files = {each.path: sides.here.get(each.path) for each in chosen}
            commit = await self.repository.pushed(sides.commit, files, message)
            there = {**sides.there, **{path: text for path, text in files.items() if text is not None}}
            there = {path: text for path, text in there.items() if files.get(path, text) is not None}
            base = await asyncio.to_thread(next_base, sides.base, commit, sides.here, there)
            await self._book.keep(base)
            left = await asyncio.to_thread(changes, base.files, base.here, sides.here, there)
        return GitStatus(commit, commit, left, sides.titles)

    async def pull(self, choice: PullChoice, author: Principal) -> PullResult:
        """Bring here what has changed there, one after another: a pull that broke off is simply repeated. Raises
        `Conflict` with what has changed on both sides and has no choice; then nothing changed."""
        return await self._finish(self._pull(choice, author))

    async def _pull(self, choice: PullChoice, author: Principal) -> PullResult:
        async with self._alone():
            sides = await self._sides()
            both = [each for each in sides.changes if each.side == "both"]
            _refuse([each for each in both if not choice.of(each.path)], "Choose ours or theirs for each of them.")
            wanted = [
                each for each in sides.changes
                if each.side == "there" or (each.side == "both" and choice.of(each.path) == "theirs")
            ]  # fmt: skip
            backup = await self.repository.kept(sides.here) if wanted else ""
            with pulling():
                files = [await self._applied(each, sides, author) for each in _in_order(wanted, sides.kinds)]
            pulled = {each.path for each in files if not each.message}
            settled = pulled | {each.path for each in both if choice.of(each.path) == "ours"}
            here = (await self._here(sides.kinds))[0] if pulled else sides.here
            base = await asyncio.to_thread(next_base, sides.base, sides.commit, here, sides.there, settled, pulled)
            await self._book.keep(base)
        return PullResult(sides.commit, backup, files)

    # -- parts

    @contextlib.asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Raises `Conflict` when others work with the repository for long, or a daemon ended in the middle."""
        patience = self._settings.timeout
        context = self._context
        try:
            async with asyncio.timeout(patience) as waiting, self._turn:
                lifetime = patience * 4 + _SPARE
                async with leased(context.port(Memos), _LEASE, "repository", lifetime, context.clock):
                    waiting.reschedule(None)
                    with reaching(None):
                        yield
        except TimeoutError:
            if not waiting.expired():
                raise
            raise Conflict(f"Somebody else has worked with the repository for {patience:g} s; try again.") from None

    async def _finish(self, work: Coroutine[object, object, DoneT]) -> DoneT:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    def _kinds(self) -> Sequence[TrackedKind]:
        """In the order of a pull: things that others need come first. Kinds of plugins that are not loaded are left
        out, and profiles where several daemons share the store, since each has its own."""
        context = self._context
        kinds = [*self._before]
        if context.port(Hosts).known <= 1 and (profiles := context.find_port(PortableProfiles)) is not None:
            kinds.append(TrackedDocuments("profiles", "profile", profiles))
        kinds.append(self._workflows)
        if (evaluations := context.find_port(PortableEvaluations)) is not None:
            kinds.append(TrackedDocuments("evaluations", "evaluation", evaluations))
        return kinds

    async def _sides(self) -> _Sides:
        there, book = await self.repository.fetched(), await self._book.base()
        kinds = self._kinds()
        folders = {kind.folder for kind in kinds}
        base = book.within(folders)
        looked_at = {path: text for path, text in there.files.items() if _folder(path) in folders}
        texts = await asyncio.to_thread(lambda: {path: canonical(text) for path, text in looked_at.items()})
        if base.commit and not there.commit:
            raise Conflict(f"The branch {self._settings.branch} is no more in the repository; bring it back there.")
        here, titles = await self._here(kinds)
        found = await asyncio.to_thread(changes, base.files, base.here, here, texts)
        return _Sides(base, kinds, here, titles, there.commit, texts, found)

    async def _here(self, kinds: Sequence[TrackedKind]) -> tuple[dict[str, bytes], dict[str, str]]:
        """Texts and titles, by path."""
        here: dict[str, bytes] = {}
        titles: dict[str, str] = {}
        for kind in kinds:
            files = await kind.read()
            here |= await asyncio.to_thread(_texts, files)
            titles |= {each.path: each.title for each in files}
        return here, titles

    async def _applied(self, change: GitChange, sides: _Sides, author: Principal) -> PulledFile:
        kind = next((each for each in sides.kinds if each.folder == _folder(change.path)), None)
        if kind is None:
            return PulledFile(change.path, "This version knows no files of this kind.")
        name = change.path.partition("/")[2].removesuffix(".json")
        try:
            if change.path in sides.there:
                document = await asyncio.to_thread(document_of, change.path, sides.there[change.path])
                await kind.write(name, document, author)
            else:
                await kind.remove(name, author)
        except JackfieldError as exc:
            details = "; ".join(f"{path}: {what}" for path, what in (exc.details or {}).items())
            return PulledFile(change.path, f"{exc.message} {details}".strip())
        return PulledFile(change.path)


def _texts(files: Sequence[TrackedFile]) -> dict[str, bytes]:
    return {each.path: text_of(each.document) for each in files}


def _in_order(wanted: Sequence[GitChange], kinds: Sequence[TrackedKind]) -> list[GitChange]:
    """By kind, then by path."""
    places = {kind.folder: place for place, kind in enumerate(kinds)}
    return sorted(wanted, key=lambda each: (places.get(_folder(each.path), len(places)), each.path))


def _folder(path: str) -> str:
    return path.partition("/")[0]


def _chosen(found: Sequence[GitChange], paths: Sequence[str]) -> Sequence[GitChange]:
    """Raises `InvalidInput` for a path that has not changed."""
    known = {each.path for each in found}
    if missing := [path for path in paths if path not in known]:
        raise InvalidInput("Some of the files have not changed.", details=dict.fromkeys(missing, "is the same"))
    return [each for each in found if not paths or each.path in paths]


def _refuse(both: Sequence[GitChange], remedy: str) -> None:
    if both:
        details: dict[str, Json] = {each.path: "has changed on both sides" for each in both}
        raise Conflict(f"{len(both)} files have changed here and in the repository. {remedy}", details=details)
