"""Files of calls: large ones are kept outside of their items, before the execution exists that they belong to."""

from __future__ import annotations

import asyncio

from jackfield.api.binary import BinaryError, BinarySettings, inline_content
from jackfield.api.context import PluginContext
from jackfield.api.engine import Outcome
from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import StoredAnswer
from jackfield.api.workflows import BinaryData
from jackfield_webhooks import answers
from jackfield_webhooks.bodies import ParsedBody
from jackfield_webhooks.plans import AnswerPlan


async def with_files_kept(context: PluginContext, parsed: ParsedBody) -> tuple[ParsedBody, str | None]:
    """The body with references in place of large files, and the id for the execution, if there were any. Should there
    be no execution in the end, the files go with a later sweep. Raises `StoreUnavailable`."""
    if not _large(context, parsed):
        return parsed, None
    execution_id = new_id()
    return await kept_for(context, execution_id, parsed), execution_id


async def kept_for(context: PluginContext, execution_id: str, parsed: ParsedBody) -> ParsedBody:
    """The body with references in place of large files. Raises `StoreUnavailable`."""
    kept: dict[str, BinaryData] = dict(parsed.binary)
    place = context.binary.files(execution_id)
    try:
        for name in _large(context, parsed):
            file = kept[name]
            content = await asyncio.to_thread(inline_content, file, file["fileSize"])
            kept[name] = await place.write(content, mime_type=file["mimeType"], file_name=file.get("fileName"))
    except BinaryError as exc:
        context.log.error("the files of a call cannot be kept: %s", exc.message)
        raise StoreUnavailable("The call's files cannot be kept now; call again later.") from None
    return ParsedBody(parsed.body, kept)


def _large(context: PluginContext, parsed: ParsedBody) -> list[str]:
    """The names of the files that do not stay in their item."""
    if not parsed.binary:
        return []
    limit = context.settings(BinarySettings).inline_limit
    return [name for name, file in parsed.binary.items() if file.get("fileSize", 0) > limit]


async def answer_of(context: PluginContext, plan: AnswerPlan, outcome: Outcome, execution_id: str) -> StoredAnswer:
    """The answer of lastNode. Raises `ExecutionFailed`."""
    file = answers.file_of(plan, outcome) if outcome.status == "success" else None
    if file is None or not file.get("id"):
        return answers.of_outcome(plan, outcome, execution_id)
    try:
        content = await context.binary.files(execution_id).read(file)
    except BinaryError as exc:
        context.log.error("execution %s cannot be answered with its file: %s", execution_id, exc.message)
        raise answers.failed(execution_id, "The workflow's answer is a file that cannot be read.") from None
    return answers.of_outcome(plan, outcome, execution_id, content)
