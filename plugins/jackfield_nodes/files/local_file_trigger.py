"""Local File Trigger: starts the workflow with changes below a path of the directory that nodes may use."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.nodes import Flag, NodeDescription, NodeError, Parameters, needed
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.listening import Heard, ListeningBase, ListenRun
from jackfield.api.workflows import Node, Problem
from jackfield_nodes.files.allowed_root import AllowedRoot
from jackfield_nodes.files.form import WATCH, WATCH_OPTIONS
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.files.watched_tree import Happened, WatchedTree, ignoring
from jackfield_nodes.files.watching import FileWatcher

FileEvent = Literal["add", "change", "unlink", "addDir", "unlinkDir"]
_STILL_S = 2.0
"""For so long a file must not grow before it counts as written, as in n8n."""
_LOOK_S = 0.1


class WatchOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = WATCH_OPTIONS

    await_write_finish: Flag = Field(
        False, description="Whether a file is reported once it has not grown for 2 seconds."
    )
    follow_symlinks: Flag = Field(True, description="Symbolic links are never followed, whatever it says.")
    ignored: str = Field("", description="A pattern of whole paths, such as **/*.txt, or a part of them.")
    ignore_initial: Flag = Field(True, description="Whether what is there already starts nothing.")
    depth: int | str = Field(-1, description="How many directories down changes count; -1: all.")
    use_polling: Flag = Field(False, description="Whether to look every second, as for network drives.")
    ignore_mode: Literal["", "match", "contain"] = Field("", description="How ignored is meant: match or contain.")

    @property
    def levels(self) -> int | None:
        try:
            found = int(self.depth)
        except ValueError:
            raise NodeError("The option depth is no whole number.") from None
        return None if found < 0 else found


class LocalFileTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = WATCH

    trigger_on: Literal["", "file", "folder"] = Field(
        "", description="file: one file; folder: whatever lies in one.", json_schema_extra=needed()
    )
    path: str = Field("", description="The file or directory to watch.")
    events: list[FileEvent] = Field(
        default_factory=list,
        description="folder: the changes that start the workflow.",
        json_schema_extra=needed({"triggerOn": ["folder"]}),
    )
    options: WatchOptions = Field(default_factory=WatchOptions)


class LocalFileTriggerNode(PassingNode, ListeningBase):
    """`ListeningNode`. Changes while nobody watches are not known."""

    def __init__(self, context: PluginContext) -> None:
        described = NodeDescription(
            "Local File Trigger",
            "Starts the workflow when files of this machine change.",
            "trigger",
            inputs=0,
            trigger=True,
            scopes=(MACHINE_WRITE,),
        )
        super().__init__("localFileTrigger", (1,), described, LocalFileTrigger)
        self._context = context

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        return self._opened(LocalFileTrigger.model_validate(dict(run.node.parameters)))

    @contextlib.asynccontextmanager
    async def _opened(self, wanted: LocalFileTrigger) -> AsyncIterator[AsyncIterator[Heard]]:
        settings = self._context.settings(FilesSettings)
        top, is_directory = await asyncio.to_thread(AllowedRoot(settings).watched, wanted.path)
        is_file = wanted.trigger_on == "file"
        if is_file and is_directory:
            raise NodeError(f"{wanted.path} is a directory; name a file, or watch a folder.")
        options = wanted.options
        tree = WatchedTree(top, options.levels, ignoring(options.ignored, options.ignore_mode), settings.max_watched)
        # Of a file its directory is watched: a file that takes its place is another one to the operating system.
        place = top if is_directory else top.rpartition("/")[0] or "/"
        recursive = is_directory and options.levels != 0
        watcher = FileWatcher(place, recursive=recursive, polling=options.use_polling)
        async with watcher.watching():
            present = await asyncio.to_thread(tree.first)
            events = frozenset[str](("change",) if is_file else wanted.events)
            yield _heard(watcher, tree, [] if options.ignore_initial else present, events, options.await_write_finish)

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = LocalFileTrigger.model_validate(dict(node.parameters))
        found = []
        if not wanted.trigger_on:
            found.append(Problem("parameters.triggerOn", "The parameter triggerOn is empty; choose file or folder."))
        if not wanted.path:
            found.append(Problem("parameters.path", "The parameter path is empty; name a file or directory."))
        if wanted.trigger_on == "folder" and not wanted.events:
            found.append(Problem("parameters.events", "The parameter events is empty; choose one at least."))
        try:
            ignoring(wanted.options.ignored, wanted.options.ignore_mode)
            _ = wanted.options.levels
            if wanted.path:
                AllowedRoot(self._context.settings(FilesSettings)).below(wanted.path)
        except NodeError as exc:
            found.append(Problem("parameters.path", exc.message))
        return found


async def _heard(
    watcher: FileWatcher, tree: WatchedTree, first: Sequence[Happened], events: frozenset[str], whole: bool
) -> AsyncIterator[Heard]:
    """whole: files are reported once they are written."""
    for event in first:
        if event[0] in events:
            yield _told(event)
    async for happened in _as_written(watcher, tree) if whole else _at_once(watcher, tree):
        for event in happened:
            if event[0] in events:
                yield _told(event)


async def _at_once(watcher: FileWatcher, tree: WatchedTree) -> AsyncIterator[list[Happened]]:
    async for changed in watcher.changes():
        yield await asyncio.to_thread(tree.look, changed)


async def _as_written(watcher: FileWatcher, tree: WatchedTree) -> AsyncIterator[list[Happened]]:
    """A file that came or changed is reported after it has not grown for a while; one that grows forever keeps no other
    waiting. One that is gone by then never came.
    """
    now = asyncio.get_running_loop().time
    growing: dict[str, tuple[str, float]] = {}  # path -> its event, and since when it is still
    changes = watcher.changes()
    news = asyncio.ensure_future(anext(changes))
    try:
        while True:
            await asyncio.wait({news}, timeout=_LOOK_S if growing else None)
            paths = set(growing)
            if news.done():
                paths |= news.result()
                news = asyncio.ensure_future(anext(changes))
            happened: list[Happened] = []
            for event, path in await asyncio.to_thread(tree.look, paths):
                if event in ("add", "change"):
                    growing[path] = (growing.get(path, (event, 0.0))[0], now())
                elif growing.pop(path, ("", 0.0))[0] != "add":
                    happened.append((event, path))
            still = [path for path, (_, since) in growing.items() if now() - since >= _STILL_S]
            happened += [(growing.pop(path)[0], path) for path in still]
            yield happened
    finally:
        news.cancel()


def _told(event: Happened) -> Heard:
    return Heard([{"json": {"event": event[0], "path": event[1]}}])


def node(context: PluginContext) -> LocalFileTriggerNode:
    return LocalFileTriggerNode(context)
