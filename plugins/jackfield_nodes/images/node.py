"""Edit Image: changes the picture of an item, makes one, or tells of it. Source: n8n's documentation, Edit Image.

An item keeps its fields and files; the picture's field gets the new file. Animated pictures are changed frame by frame.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeResult, NodeRun, NodeUnavailable
from jackfield.api.nodes.files import content_of, kept_file, with_file
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.running import ItemNode
from jackfield.api.workflows import BinaryData, Item, Items
from jackfield_nodes.files.threads import run_to_end
from jackfield_nodes.images.parameters import EditImage
from jackfield_nodes.images.settings import ImageSettings

if TYPE_CHECKING:
    from jackfield_nodes.images.work import EditedFile

WORK = "jackfield_nodes.images.work"
"""Imports Pillow: loaded with the first picture."""
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class EditImageNode(ItemNode):
    kind = "editImage"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Edit Image", "Changes pictures, makes them, and tells of them.", "transform")
    model = EditImage

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._slots: asyncio.Semaphore | None = None

    async def execute(self, run: NodeRun) -> NodeResult:
        if self._slots is None:
            self._slots = asyncio.Semaphore(self._settings.at_once)
        return await super().execute(run)

    @property
    def _settings(self) -> ImageSettings:
        return self._context.settings(ImageSettings)

    async def item(self, run: NodeRun, parameters: EditImage, item: Item, index: int) -> Items:
        field = parameters.options.destination_key or parameters.data_property_name
        if parameters.operation == "information":
            content = await self._content(run, item, parameters.data_property_name, index)
            work = await _work()
            told: dict[str, Json] = await self._on_thread(work.told, content, self._settings.max_pixels)
            return [new_item(told, index, dict(item.get("binary") or {}))]
        file = await self._edited(run, parameters, item, index)
        kept = await kept_file(run, file.content, mime_type=file.media_type)
        return [new_item(item["json"], index, with_file(item, field, described(item, field, kept, parameters, file)))]

    async def _edited(self, run: NodeRun, parameters: EditImage, item: Item, index: int) -> EditedFile:
        steps = parameters.steps
        makes = bool(steps) and steps[0].operation == "create"
        content = None if makes else await self._content(run, item, parameters.data_property_name, index)
        names = {step.data_property_name_composite for step in steps if step.operation == "composite"}
        others = {name: await self._content(run, item, name, index) for name in sorted(names)}
        placed = run.node.version is None or run.node.version >= 1.1
        work = await _work()
        job = work.ImageJob(steps, parameters.options, content, others, placed, self._settings.max_pixels)
        made: EditedFile = await self._on_thread(work.edited, job)
        return made

    async def _content(self, run: NodeRun, item: Item, name: str, index: int) -> bytes:
        return await content_of(run, item, name, index, limit=self._settings.max_bytes)

    async def _on_thread(
        self, work: Callable[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """To its end: what has begun takes memory until then."""
        async with self._slots or asyncio.Semaphore(1):
            return await run_to_end(work, *given, **named)


async def _work() -> ModuleType:
    """The module that does the work; it imports Pillow. Raises `NodeUnavailable`."""
    try:
        return await asyncio.to_thread(import_module, WORK)
    except ModuleNotFoundError as exc:
        if (exc.name or "").partition(".")[0] != "PIL":
            raise
        raise NodeUnavailable("This node needs the package pillow; install jackfield[images].") from None


def described(item: Item, field: str, kept: BinaryData, parameters: EditImage, file: EditedFile) -> BinaryData:
    """The new file's entry. It has the old one's name, with another ending where the format is asked for."""
    options = parameters.options
    files = item.get("binary") or {}
    name = files[field].get("fileName") if field in files else None
    makes = parameters.steps[0].operation == "create"
    ending = options.format or ("png" if makes else "")
    if name and "." in name and ending:
        name = f"{name.rpartition('.')[0]}.{ending}"
    if options.file_name is not None:
        name = options.file_name
    made: BinaryData = {**kept, "fileExtension": file.ending}
    if name:
        made["fileName"] = name
    return made


def node(context: PluginContext) -> EditImageNode:
    return EditImageNode(context)
