"""Files of calls: large ones are kept outside of their items, before the execution exists that they belong to."""

from __future__ import annotations

from collections.abc import AsyncIterator

from jackfield.api.binary import CHUNK, BinaryError, BinaryStore, head_of
from jackfield.api.context import PluginContext
from jackfield.api.engine import Outcome
from jackfield.api.errors import BinaryStoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import StoredAnswer
from jackfield.api.workflows import BinaryData
from jackfield_webhooks.answers import making as answers
from jackfield_webhooks.answers.making import Answer
from jackfield_webhooks.answers.plans import AnswerPlan
from jackfield_webhooks.bodies.parsing import ParsedBody

_FILE = ":file"
"""Stands among the headers of a kept answer for the id of its file; no header has such a name."""


async def with_files_kept(context: PluginContext, parsed: ParsedBody) -> tuple[ParsedBody, str | None]:
    """The body with references in place of large files, and the id for the execution, if there were any. Should there
    be no execution in the end, the files go with a later sweep. Raises `BinaryStoreUnavailable`."""
    if not parsed.contents:
        return parsed, None
    execution_id = new_id()
    return await kept_for(context, execution_id, parsed), execution_id


async def kept_for(context: PluginContext, execution_id: str, parsed: ParsedBody) -> ParsedBody:
    """The body with references in place of large files. Raises `BinaryStoreUnavailable`."""
    kept: dict[str, BinaryData] = dict(parsed.binary)
    files = context.port(BinaryStore).files(execution_id)
    try:
        for name, content in parsed.contents.items():
            file = kept[name]
            kept[name] = await files.write(_pieces(content), mime_type=file["mimeType"], file_name=file.get("fileName"))
    except BinaryError as exc:
        context.log.error("the files of a call cannot be kept: %s", exc.message)
        raise BinaryStoreUnavailable("The call's files cannot be kept now; call again later.") from None
    finally:
        for content in parsed.contents.values():
            content.release()  # whoever waits for the answer has them still, and with them the body that came
    return ParsedBody(parsed.body, kept, is_json=parsed.is_json)


async def _pieces(content: memoryview) -> AsyncIterator[bytes]:
    for start in range(0, len(content), CHUNK):
        yield bytes(content[start : start + CHUNK])


async def answer_of(context: PluginContext, plan: AnswerPlan, outcome: Outcome, execution_id: str) -> Answer:
    """The answer of lastNode. Raises `ExecutionFailed`."""
    file = answers.file_of(plan, outcome) if outcome.status == "success" else None
    if file is None or not file.get("id"):
        return answers.of_outcome(plan, outcome, execution_id)
    try:
        content = await context.port(BinaryStore).files(execution_id).content(file)
    except BinaryError as exc:
        context.log.error("execution %s cannot be answered with its file: %s", execution_id, exc.message)
        raise answers.failed(execution_id, "The workflow's answer is a file that cannot be read.") from None
    return answers.of_outcome(plan, outcome, execution_id, content)


async def for_repeats(answer: Answer, limit: int) -> StoredAnswer | None:
    """The part of an answer that is kept for repeats of its call. limit: bytes; a larger file is kept by its id.

    None: nothing can be.
    """
    if isinstance(answer, StoredAnswer):
        return answer if len(answer.body) <= limit else None
    if answer.body.size <= limit:
        try:
            return StoredAnswer(answer.status, answer.headers, await head_of(answer.body, limit))
        except BinaryError:
            return None
    if not answer.body.file_id:
        return None
    return StoredAnswer(answer.status, (*answer.headers, (_FILE, answer.body.file_id)), b"")


async def repeated(context: PluginContext, kept: StoredAnswer, execution_id: str) -> Answer:
    """The kept answer again; a file is there as long as its execution."""
    file_id = next((value for name, value in kept.headers if name == _FILE), None)
    if file_id is None:
        return kept
    headers = tuple(pair for pair in kept.headers if pair[0] != _FILE)
    try:
        content = (
            await context.port(BinaryStore).files(execution_id).content({"data": "", "mimeType": "", "id": file_id})
        )
    except BinaryError:
        return answers.repeated(execution_id)
    return answers.made(kept.status, headers, content)
