"""The repository: a bare, shallow copy of one branch. Nothing is ever checked out, so that no name, link or filter in
it reaches a file of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, UpstreamFailed
from jackfield.api.files import private_directory
from jackfield.api.records import record
from jackfield_git.program.entry import GitEntry
from jackfield_git.program.running import GitRuns
from jackfield_git.settings import GitSettings

_TIP = "refs/jackfield/tip"
_BEFORE = "refs/jackfield/before-pull"
FOLDERS = ("workflows", "credential_stubs", "variable_stubs", "data_tables", "profiles", "evaluations")
"""Of the directory; nothing else in it is looked at, and no folder of theirs."""
_LONGEST_ROW = 400
"""Bytes that a row of a listing may have; a longer name is none of ours."""
_LEFTOVERS = ("*.lock", "refs/**/*.lock", "objects/pack/tmp_*", "objects/*/tmp_obj_*", "../index.lock")
_PATH = re.compile(rf"({'|'.join(FOLDERS)})/[A-Za-z0-9_-][A-Za-z0-9._-]{{0,99}}\.json")
_ROW = re.compile(rb"(\d{6}) (\w+) ([0-9a-f]{40,64}) +(-|\d+)\t(.*)", re.DOTALL)
_PLAIN = (b"100644", b"100755")


@record
class RepositoryState:
    """commit: the tip of the branch; empty: the branch is not there yet. files: path below the directory -> text."""

    commit: str
    files: Mapping[str, bytes]


class GitRepository:
    """Calls come one after another."""

    def __init__(self, context: PluginContext) -> None:
        self._settings = context.settings(GitSettings)
        self._secrets = context.secrets
        self._home = context.service.config_dir / "git"
        self._bare = self._home / "repository.git"
        self.entry = GitEntry(context, self._home)
        settings = self._settings
        self._runs = GitRuns(self._bare, settings.timeout, settings.total_bytes, settings.fetched_bytes)
        self._branch = f"refs/heads/{self._settings.branch}"

    async def tip(self) -> str:
        """The commit at the end of the branch there; empty: there is no such branch."""
        await self._ready()
        output = await self._remote("ls-remote", "--", self._settings.url, self._branch)
        rows = (line.split("\t") for line in output.decode().splitlines())
        return next((row[0] for row in rows if len(row) == 2 and row[1] == self._branch), "")

    async def fetched(self) -> RepositoryState:
        """Raises `UpstreamFailed`, `InvalidInput` for what has no place in the directory."""
        tip = await self.tip()
        if not tip:
            return RepositoryState("", {})
        wanted = f"+{self._branch}:{_TIP}"
        try:
            await self._remote("fetch", "--quiet", "--no-tags", "--depth=1", "--", self._settings.url, wanted)
        except UpstreamFailed as exc:
            if not await asyncio.to_thread(self._clear):
                raise
            raise UpstreamFailed(
                f"{exc.message} It broke off in the middle; when the repository is large, raise git.fetched_bytes and "
                "git.timeout."
            ) from None
        await self._tidied()
        commit = (await self._runs.run("rev-parse", "--verify", f"{_TIP}^{{commit}}")).decode().strip()
        return RepositoryState(commit, await self._files(commit))

    async def pushed(self, parent: str, files: Mapping[str, bytes | None], message: str) -> str:
        """Commit these files on top of the parent and send it; None: remove. The new commit. Raises `Conflict` when the
        branch has moved on."""
        commit = await self._commit(parent, files, message)
        target = f"{commit}:{self._branch}"
        lease = f"--force-with-lease={self._branch}:{parent}"
        try:
            await self._remote("push", "--quiet", "--no-verify", lease, "--", self._settings.url, target)
        except UpstreamFailed:
            if await self.tip() != parent:
                raise Conflict("Somebody else has pushed meanwhile; pull first.") from None
            raise
        return commit

    async def kept(self, files: Mapping[str, bytes]) -> str:
        """Keep what was here before a pull, in the daemon's own copy; the commit."""
        before = (await self._runs.run("rev-parse", "--quiet", "--verify", _BEFORE, accepted=1)).decode().strip()
        commit = await self._commit(before, files, "Before a pull", whole=True)
        await self._runs.run("update-ref", _BEFORE, commit)
        return commit

    async def difference(self, there: bytes, here: bytes) -> str:
        """Unified. The program compares: it can be stopped, and large texts do not hold up the daemon."""
        await self._ready()
        names = [
            (await self._runs.run("hash-object", "-w", "--stdin", given=text)).decode().strip()
            for text in (there, here)
        ]
        output = await self._runs.run(
            "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", *names, most=self._settings.file_bytes * 2
        )
        _, found, hunks = output.decode("utf-8", "replace").partition("\n@@ ")
        return f"--- repository\n+++ here\n@@ {hunks}" if found else ""

    # -- parts

    async def _ready(self) -> None:
        if not self._settings.url:
            raise InvalidInput("This daemon has no repository: set git.url and git.branch.")
        if not await asyncio.to_thread(self._bare.joinpath("HEAD").is_file):
            await asyncio.to_thread(private_directory, self._home)
            await self._runs.run("init", "--quiet", "--bare", "--object-format=sha1", "--template=", str(self._bare))
        await asyncio.to_thread(self._clear)

    async def _tidied(self) -> None:
        """Now and then pack what is loose, and drop what nothing refers to. It may fail: it is only for the room."""
        with contextlib.suppress(UpstreamFailed):
            await self._runs.run("-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet")

    def _clear(self) -> bool:
        """Remove what runs of git left that were killed: a lock would stop each later one, half a pack would stay.
        Calls come one after another, so that nobody uses them. Whether there was half a pack."""
        halves = False
        for pattern in _LEFTOVERS:
            outside = pattern.startswith("../")
            root = self._home if outside else self._bare
            for path in root.glob(pattern.removeprefix("../")):
                path.unlink(missing_ok=True)
                halves = halves or path.name.startswith("tmp_pack")
        return halves

    async def _remote(self, *arguments: str) -> bytes:
        """Raises `UpstreamFailed`; a server that says the token back does not bring it into the message."""
        try:
            return await self._runs.run(*arguments, environment=await self.entry.environment())
        except UpstreamFailed as exc:
            raise UpstreamFailed(self._secrets.hide(exc.message)) from None

    async def _files(self, commit: str) -> dict[str, bytes]:
        """Raises `InvalidInput`."""
        below = self._settings.directory
        tree = f"{commit}:{below}" if below else commit
        if not await self._runs.run("rev-parse", "--quiet", "--verify", tree, accepted=1):
            return {}
        folders = [f"{folder}/" for folder in FOLDERS]
        most = (self._settings.files + 1000) * _LONGEST_ROW
        listed = await self._runs.run("ls-tree", "-z", "--long", tree, *folders, most=most)
        found: dict[str, str] = {}
        total = 0
        for row in filter(None, listed.split(b"\0")):
            match = _ROW.fullmatch(row)
            path = match[5].decode("utf-8", "replace") if match else ""
            if match is None or not _PATH.fullmatch(path):
                continue  # such as a README
            if match[1] not in _PLAIN:
                raise InvalidInput(f"{path} in the repository is no plain file; links and submodules are not read.")
            size = int(match[4])
            total += size
            if size > self._settings.file_bytes or total > self._settings.total_bytes:
                raise InvalidInput(f"{path} is too large; raise git.file_bytes or git.total_bytes.")
            found[path] = match[3].decode()
        if len(found) > self._settings.files:
            raise InvalidInput(f"The repository has more than {self._settings.files} files; raise git.files.")
        return dict(zip(found, await self._blobs(list(found.values())), strict=True))

    async def _blobs(self, names: Sequence[str]) -> list[bytes]:
        if not names:
            return []
        output = await self._runs.run("cat-file", "--batch", given="\n".join(names).encode() + b"\n")
        blobs, at = [], 0
        for _ in names:
            end = output.index(b"\n", at)
            size = int(output[at:end].split(b" ")[2])
            blobs.append(output[end + 1 : end + 1 + size])
            at = end + size + 2
        return blobs

    async def _commit(
        self, parent: str, files: Mapping[str, bytes | None], message: str, *, whole: bool = False
    ) -> str:
        """whole: nothing of the parent's files stays."""
        index = self._home / "index"
        await asyncio.to_thread(index.unlink, missing_ok=True)
        environment = {"GIT_INDEX_FILE": str(index), **self._author()}
        if parent and not whole:
            await self._runs.run("read-tree", parent, environment=environment)
        rows = await self._index_rows(files)
        await self._runs.run("update-index", "-z", "--index-info", given=b"".join(rows), environment=environment)
        tree = (await self._runs.run("write-tree", environment=environment)).decode().strip()
        parents = ("-p", parent) if parent else ()
        made = await self._runs.run("commit-tree", tree, *parents, given=message.encode(), environment=environment)
        return made.decode().strip()

    async def _index_rows(self, files: Mapping[str, bytes | None]) -> list[bytes]:
        """Texts that the copy has already are not written again: of all files, few have changed."""
        names = await asyncio.to_thread(lambda: {path: _blob(text) for path, text in files.items() if text is not None})
        asked = "".join(f"{name}\n" for name in names.values()).encode()
        known = await self._runs.run("cat-file", "--batch-check", given=asked) if names else b""
        missing = {line.split()[0].decode() for line in known.splitlines() if line.endswith(b" missing")}
        rows = []
        for path, text in files.items():
            below = f"{self._settings.directory}/{path}" if self._settings.directory else path
            if text is None:
                rows.append(f"0 {'0' * 40}\t{below}\0".encode())
                continue
            if names[path] in missing:
                await self._runs.run("hash-object", "-w", "--stdin", given=text)
            rows.append(f"100644 {names[path]}\t{below}\0".encode())
        return rows

    def _author(self) -> dict[str, str]:
        name, email = self._settings.author_name, self._settings.author_email
        return {
            "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email, "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": email
        }  # fmt: skip


def _blob(text: bytes) -> str:
    """Git's name of a text."""
    return hashlib.sha1(b"blob %d\0%b" % (len(text), text), usedforsecurity=False).hexdigest()
