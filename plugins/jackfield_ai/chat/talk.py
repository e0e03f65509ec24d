"""A message of somebody and the workflow's answer, however the message has come."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from quart import Response
from werkzeug.datastructures import Authorization

from jackfield.api.body_budget import TakenMemory
from jackfield.api.chunk_streams import ChunkBuffer, error_chunk
from jackfield.api.context import PluginContext
from jackfield.api.credentials import Credentials
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Node, Workflow
from jackfield_ai.chat.answering import Ends, answer_of, started, streamed
from jackfield_ai.chat.trigger import BASIC, authentication, streams
from jackfield_ai.settings import AiSettings

NEEDED = "This chat needs a user name and a password."
_LONGEST = 200


class Talk:
    """Answers messages to Chat Trigger nodes."""

    def __init__(self, context: PluginContext, settings: AiSettings, ends: Ends = error_chunk) -> None:
        """ends: how the stream of an execution that has failed ends."""
        self._context = context
        self._settings = settings
        self._ends = ends

    async def fits(self, node: Node, given: Authorization | None) -> bool:
        """Whether the name and the password are those of the node's credential; False when that cannot be used."""
        values = await self._values(node)
        user, password = values.get("user", ""), values.get("password", "")
        fits = given is not None and given.type == "basic"
        right_name = hmac.compare_digest((given.username or "").encode() if given and fits else b"", user.encode())
        right_word = hmac.compare_digest((given.password or "").encode() if given and fits else b"", password.encode())
        return bool(user and password and right_name and right_word)

    async def _values(self, node: Node) -> Mapping[str, str]:
        ident = node.credential_id(BASIC)
        if authentication(node) != "basicAuth" or ident is None:
            return {}
        try:
            return await self._context.port(Credentials).values(ident, BASIC)
        except NodeError:
            self._context.log.warning("A chat has no usable credential; it is closed.", extra={"node": node.name})
            return {}

    async def answer(
        self,
        workflow: Workflow,
        node: Node,
        message: dict[str, Json],
        memory: TakenMemory | None,
        request_id: str | None,
        *,
        test: bool,
    ) -> Response:
        """memory: what the message takes. Raises `JackfieldError`."""
        stream = ChunkBuffer(self._settings.chat_stream_bytes) if streams(node) else None
        execution = await started(self._context, workflow, node, message, request_id, memory, test=test, stream=stream)
        if stream is not None:
            clock, keepalive = self._context.clock, self._settings.chat_keepalive
            return streamed(stream, execution, workflow, clock, keepalive, self._ends)
        return await answer_of(node, execution, self._settings.chat_response_timeout)


def message_in(body: Json) -> dict[str, Json]:
    """Raises `InvalidInput`, also for the action `loadPreviousSession`."""
    if not isinstance(body, dict):
        raise InvalidInput("A chat message must be an object.", details={"body": "send {sessionId, chatInput}"})
    wrong = {
        name: "this must be a text"
        for name, needed in (("chatInput", True), ("sessionId", False), ("action", False))
        if not isinstance(body.get(name), str) and (needed or name in body)
    }
    if body.get("action") == "loadPreviousSession":
        wrong.pop("chatInput", None)
    session = body.get("sessionId")
    if isinstance(session, str) and len(session) > _LONGEST:
        wrong["sessionId"] = f"at most {_LONGEST} characters"
    if wrong:
        raise InvalidInput("The chat message does not have the expected form.", details=dict(wrong))
    if body.get("action") == "loadPreviousSession":
        raise InvalidInput("Earlier messages of a session cannot be loaded; begin with action sendMessage.")
    return {"action": "sendMessage", **body}
