"""Files of a form: large ones are kept outside of the item, for an execution that may not exist yet."""

from __future__ import annotations

from jackfield.api.binary import BinaryError, BinaryStore
from jackfield.api.context import PluginContext
from jackfield.api.errors import BinaryStoreUnavailable
from jackfield.api.ids import new_id
from jackfield_forms.values import CheckedForm


async def keep_files(context: PluginContext, checked: CheckedForm, execution_id: str | None = None) -> str | None:
    """Put references in the place of large files. The execution's id, a fresh one for an execution that is still to
    begin; as it came, when there are no such files. Raises `BinaryStoreUnavailable`."""
    if not checked.contents:
        return execution_id
    execution_id = execution_id or new_id()
    files = context.port(BinaryStore).files(execution_id)
    try:
        for name in list(checked.contents):
            file = checked.binary[name]
            checked.binary[name] = await files.write(
                checked.contents.pop(name), mime_type=file["mimeType"], file_name=file.get("fileName")
            )
    except BinaryError as exc:
        context.log.error("the files of a form cannot be kept: %s", exc.message)
        raise BinaryStoreUnavailable("The form's files cannot be kept now; send it again later.") from None
    return execution_id
