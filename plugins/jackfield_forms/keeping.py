"""Files of a form: large ones are kept outside of the item, before the execution exists that they belong to."""

from __future__ import annotations

import asyncio

from jackfield.api.binary import BinaryError, BinarySettings, inline_content
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.workflows import BinaryData, Item


async def with_files_kept(context: PluginContext, item: Item) -> tuple[Item, str | None]:
    """The item with references in place of large files, and the id for the execution, if there were any. Raises
    `StoreUnavailable`."""
    limit = context.settings(BinarySettings).inline_limit
    files: dict[str, BinaryData] = dict(item.get("binary") or {})
    large = [name for name, file in files.items() if file.get("fileSize", 0) > limit]
    if not large:
        return item, None
    execution_id = new_id()
    place = context.binary.files(execution_id)
    try:
        for name in large:
            file = files[name]
            content = await asyncio.to_thread(inline_content, file, file["fileSize"])
            files[name] = await place.write(content, mime_type=file["mimeType"], file_name=file.get("fileName"))
    except BinaryError as exc:
        context.log.error("the files of a form cannot be kept: %s", exc.message)
        raise StoreUnavailable("The form's files cannot be kept now; send it again later.") from None
    return {**item, "binary": files}, execution_id
