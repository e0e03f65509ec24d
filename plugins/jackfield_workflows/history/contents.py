"""The workflow that an execution ran, and the files of its items."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jackfield.api.binary import BinaryError, BinaryStore, BinaryUnavailable, Content, LinkedFiles
from jackfield.api.context import PluginContext
from jackfield.api.errors import BinaryStoreUnavailable, NotFound
from jackfield.api.history import node_records, outputs_of
from jackfield.api.jsontext import Json
from jackfield.api.storage import StoredExecution
from jackfield.api.workflows import BinaryData
from jackfield_workflows.documents.sealing import without_sealed
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.history.views import input_items, rendered


async def executed_document(context: PluginContext, stored: StoredExecution) -> dict[str, Json]:
    """The document that ran, without secrets. Raises `NotFound` when it is not kept any more."""
    row, document = stored.row, stored.document
    if document is None and row.workflow_id is not None:
        version = await context.store.workflow_version(row.workflow_id, row.workflow_version)
        document = None if version is None else version.document
    if document is None:
        raise NotFound("The workflow of this execution is not kept any more.")
    secrets = SecretParameters(context)
    await secrets.ready(document)
    return secrets.redacted(without_sealed(document))


async def file_of(stored: StoredExecution, run: int, output: int, item: int, name: str) -> BinaryData:
    """A file of an item. Raises `NotFound` when it is not there."""
    file = await rendered(stored, lambda: _found(stored, run, output, item, name))
    if file is None:
        raise NotFound("The execution has no such item, or the item has no file of this name.")
    return file


async def content_of(context: PluginContext, execution_id: str, file: BinaryData) -> Content:
    """Raises `NotFound` for a file that is not there any more, `BinaryStoreUnavailable`."""
    with _read():
        return await context.port(BinaryStore).files(execution_id).content(file)


async def link_to(context: PluginContext, execution_id: str, file: BinaryData) -> str | None:
    """Where the file is to be had for a short time, if anywhere but here. Raises as `content_of`."""
    with _read():
        files = context.port(BinaryStore).files(execution_id)
        return await files.link(file) if isinstance(files, LinkedFiles) else None


@contextmanager
def _read() -> Iterator[None]:
    try:
        yield
    except BinaryUnavailable as exc:
        raise BinaryStoreUnavailable(exc.message) from None
    except BinaryError as exc:
        raise NotFound(f"The file cannot be read: {exc.message}") from None


def _found(stored: StoredExecution, run: int, output: int, item: int, name: str) -> BinaryData | None:
    record = next((one for one in node_records(stored.steps) if one["index"] == run), None)
    outputs = (outputs_of(record, input_items(stored)) or []) if record is not None else []
    if output >= len(outputs) or item >= len(outputs[output]):
        return None
    files = outputs[output][item].get("binary")
    file = files.get(name) if isinstance(files, dict) else None
    return file if isinstance(file, dict) else None
