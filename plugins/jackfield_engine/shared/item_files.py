"""Files that come into an execution with items of another one are kept for it too."""

from __future__ import annotations

from collections.abc import Iterable

from jackfield.api.binary import BinaryError, BinarySettings, BinaryStore
from jackfield.api.context import PluginContext
from jackfield.api.history import NodeRecord
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import BinaryData, Item, Items, Outputs


async def keep_files(context: PluginContext, execution_id: str, items: Iterable[Item]) -> None:
    """The execution's own share in the files that these items refer to. A file that cannot be kept fails when it is
    read."""
    referring: Items = [item for item in items if refers(item)]
    if not referring:
        return
    try:
        await context.port(BinaryStore).adopt(execution_id, referring)
    except BinaryError as exc:
        context.log.warning("files of the items of execution %s were not kept: %s", execution_id, exc.message)


def refers(item: Item) -> bool:
    """Whether a file of the item is kept outside of it. Scripts may have put anything there."""
    files = item.get("binary")
    return isinstance(files, dict) and any(isinstance(file, dict) and file.get("id") for file in files.values())


def replayed_items(records: Iterable[NodeRecord]) -> Iterable[Item]:
    """The items of recorded node runs."""
    for record in records:
        for items in record.get("outputs") or ():
            yield from items


async def without_large_data(context: PluginContext, execution_id: str, outputs: Outputs) -> Outputs:
    """The same items; files that a node put into them as base64, and that are too large for that, are kept outside.
    Raises `NodeError`."""
    if not any("binary" in item for items in outputs for item in items):
        return outputs
    limit = context.settings(BinarySettings).inline_limit
    if not any(_large(item, limit) for items in outputs for item in items):
        return outputs
    return [[await _moved_out(context, execution_id, item, limit) for item in items] for items in outputs]


def _large(item: Item, limit: int) -> list[str]:
    """The names of the files whose base64 stands for more than that many bytes."""
    files = item.get("binary")
    if not isinstance(files, dict):
        return []
    most = (limit + 2) // 3 * 4
    return [name for name, file in files.items() if _is_inline(file) and len(file["data"]) > most]


def _is_inline(file: object) -> bool:
    return isinstance(file, dict) and isinstance(file.get("data"), str) and not file.get("id")


async def _moved_out(context: PluginContext, execution_id: str, item: Item, limit: int) -> Item:
    large = _large(item, limit)
    if not large:
        return item
    files: dict[str, BinaryData] = dict(item["binary"])
    for name in large:
        try:
            files[name] = await _kept(context, execution_id, files[name])
        except BinaryError as exc:
            raise NodeError(f"The file '{name}' cannot be kept: {exc.message}") from None
    return {**item, "binary": files}


async def _kept(context: PluginContext, execution_id: str, file: BinaryData) -> BinaryData:
    place = context.port(BinaryStore).files(execution_id)
    content = await place.read(file, limit=context.settings(BinarySettings).file_limit)
    made = await place.write(content, mime_type=str(file.get("mimeType") or ""), file_name=file.get("fileName"))
    return {**file, **made}
