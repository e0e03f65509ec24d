"""The editor's chat: a saved workflow answers a caller who may run it."""

from __future__ import annotations

from quart import Response, request
from werkzeug.datastructures import Authorization

from jackfield.api.chunk_streams import error_chunk
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import Execution
from jackfield.api.errors import AccessDenied, NotFound
from jackfield.api.http import principal, read_json, request_id, taken_memory
from jackfield.api.projects import reaching, run_reach
from jackfield.api.records import replace
from jackfield.api.run_rights import RunRights
from jackfield.api.streaming import Chunk
from jackfield.api.triggers import served_nodes
from jackfield.api.workflows import Workflow
from jackfield_ai.chat.answering import ChatFailed, reason_of
from jackfield_ai.chat.routes import CREDENTIALS
from jackfield_ai.chat.talk import NEEDED, Talk, message_in
from jackfield_ai.chat.trigger import NODES, authentication, path_of
from jackfield_ai.settings import AiSettings


async def send(context: PluginContext, workflow_id: str, path: str) -> Response:
    """Raises `JackfieldError`; `AccessDenied` without the chat's own password too, and not `AuthRequired`, at which a
    browser asks for the daemon's."""
    workflow = await context.port(WorkflowReader).load(workflow_id)
    node = next((one for one in served_nodes(workflow, NODES) if path_of(one) == path), None)
    if node is None:
        raise NotFound("The workflow has no Chat Trigger with this webhookId.")
    await context.port(RunRights).check(workflow, principal())
    message = message_in(await read_json())
    talk = Talk(context, context.settings(AiSettings), _explained)
    if authentication(node) == "basicAuth":
        given = Authorization.from_header(request.headers.get(CREDENTIALS))
        with reaching(run_reach(workflow_id)):
            fits = await talk.fits(node, given)
        if not fits:
            raise AccessDenied(NEEDED, details={CREDENTIALS: "send Basic with those of the node's credential"})
    try:
        return await talk.answer(workflow, node, message, taken_memory(), request_id() or None, test=True)
    except ChatFailed as exc:
        raise exc.explained() from None


def _explained(execution: Execution, workflow: Workflow, now: int) -> Chunk | None:
    """The end of a stream, with the reason: whoever may run the workflow may see its executions."""
    chunk = error_chunk(execution, workflow, now)
    if chunk is None or execution.finished.exception() is not None:
        return chunk
    return replace(chunk, content=reason_of(execution.finished.result()))
