"""Codex's `app-server`: threads, turns and items over JSON-RPC.

Source: `codex app-server generate-json-schema` and the frames of Codex 0.169.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import count

from jackfield.api.agent_protocols import (
    AgentFault,
    AgentReady,
    DialogueStart,
    DialogueStep,
    DialogueSteps,
    MessageKept,
    PermissionAsked,
    PermissionOption,
    StartRefused,
    TextAdded,
    TokensSpent,
    TurnEnded,
)
from jackfield.api.jsontext import Json
from jackfield_agent_sessions.protocols import codex_items
from jackfield_agent_sessions.protocols.fields import mapping, number, text
from jackfield_agent_sessions.protocols.jsonrpc import JsonRpcPeer, nothing, notice, reply
from jackfield_agent_sessions.protocols.permissions import OpenPermissions

_OPTIONS = (
    PermissionOption(id="accept", name="Allow", kind="allow_once"),
    PermissionOption(id="acceptForSession", name="Allow for this session", kind="allow_always"),
    PermissionOption(id="decline", name="Reject", kind="reject_once"),
)
_REASONS: Mapping[str, str] = {"completed": "completed", "interrupted": "interrupted"}


class CodexProtocol:
    """`AgentProtocol`."""

    name = "codex"

    def dialogue(self, start: DialogueStart) -> CodexDialogue:
        return CodexDialogue(start)


class CodexDialogue:
    """`AgentDialogue`. Options: parameters of `thread/start`, such as `approvalPolicy`."""

    def __init__(self, start: DialogueStart) -> None:
        self._start = start
        self._thread = ""
        self._turn = ""
        self._is_interrupted = False
        self._numbers = count(1)
        self._permissions = OpenPermissions()
        self._peer = JsonRpcPeer(
            {
                "item/commandExecution/requestApproval": self._asked,
                "item/fileChange/requestApproval": self._asked,
            },
            {
                "item/started": lambda params: self._of_ours(params, codex_items.begun),
                "item/completed": lambda params: self._of_ours(params, codex_items.completed),
                "item/agentMessage/delta": partial(self._piece, "text"),
                "item/plan/delta": partial(self._piece, "text"),
                "item/reasoning/summaryTextDelta": partial(self._piece, "thinking"),
                "item/reasoning/textDelta": partial(self._piece, "thinking"),
                "thread/tokenUsage/updated": self._used,
                "turn/completed": self._ended,
                "serverRequest/resolved": self._resolved,
                "error": self._failed,
            },
        )

    def begin(self) -> DialogueSteps:
        client: dict[str, Json] = {"name": "jackfield", "title": "Jackfield", "version": self._start.version}
        return [self._peer.ask("initialize", {"clientInfo": client}, self._initialized, _refused)]

    def received(self, frame: Mapping[str, Json]) -> DialogueSteps:
        return self._peer.received(frame)

    def say(self, text: str) -> DialogueSteps:
        self._turn, self._is_interrupted = "", False
        params: dict[str, Json] = {"threadId": self._thread, "input": [{"type": "text", "text": text}]}
        return [self._peer.ask("turn/start", params, self._turn_begun, self._not_begun)]

    def answer(self, permission: str, option: str, note: str) -> DialogueSteps:
        return self._permissions.answer(permission, option, note)

    def interrupt(self) -> DialogueSteps:
        """A turn is named by the answer to its beginning; until then the interruption waits."""
        self._is_interrupted = True
        if not self._turn:
            return []
        params: dict[str, Json] = {"threadId": self._thread, "turnId": self._turn}
        return [*self._permissions.withdraw_all(), self._peer.ask("turn/interrupt", params, nothing, self._fault)]

    def _initialized(self, result: Mapping[str, Json]) -> DialogueSteps:
        method, params = "thread/start", {**self._start.options, "cwd": self._start.cwd}
        if self._start.resume is not None:
            method, params = "thread/resume", {**params, "threadId": self._start.resume}
        return [notice("initialized", {}), self._peer.ask(method, params, self._opened, _refused)]

    def _opened(self, result: Mapping[str, Json]) -> DialogueSteps:
        self._thread = text(mapping(result, "thread"), "id")
        return [AgentReady(self._thread)] if self._thread else [StartRefused("It has named no thread.")]

    def _turn_begun(self, result: Mapping[str, Json]) -> DialogueSteps:
        self._turn = text(mapping(result, "turn"), "id")
        return self.interrupt() if self._is_interrupted else []

    def _not_begun(self, reason: str) -> DialogueSteps:
        return [*self._fault(reason), self._end("failed", "")]

    def _fault(self, reason: str) -> DialogueSteps:
        return [MessageKept(f"error-{next(self._numbers)}", AgentFault(text=reason))]

    def _end(self, reason: str, detail: str) -> MessageKept:
        ended = TurnEnded.model_validate({"reason": reason, "detail": detail})
        return MessageKept(f"turn-{next(self._numbers)}", ended)

    def _is_ours(self, params: Mapping[str, Json]) -> bool:
        """Not a subagent's, which has its own thread."""
        return text(params, "threadId") == self._thread

    def _of_ours(self, params: Mapping[str, Json], read: codex_items.ItemReader) -> DialogueSteps:
        return read(mapping(params, "item")) if self._is_ours(params) else []

    def _piece(self, type: codex_items.PieceType, params: Mapping[str, Json]) -> DialogueSteps:
        if not self._is_ours(params):
            return []
        return [TextAdded(text(params, "itemId"), type, text(params, "delta"))]

    def _used(self, params: Mapping[str, Json]) -> DialogueSteps:
        last = mapping(params, "tokenUsage", "last")
        whole, cached, written = (
            number(last, name) for name in ("inputTokens", "cachedInputTokens", "cacheWriteInputTokens")
        )
        if not self._is_ours(params) or whole is None:
            return []
        spent = TokensSpent(
            input_tokens=max(0, whole - (cached or 0) - (written or 0)),
            output_tokens=number(last, "outputTokens"),
            cache_creation_input_tokens=written,
            cache_read_input_tokens=cached,
        )
        return [MessageKept(f"usage-{next(self._numbers)}", spent)]

    def _ended(self, params: Mapping[str, Json]) -> DialogueSteps:
        if not self._is_ours(params):
            return []
        turn = mapping(params, "turn")
        status, error = text(turn, "status"), text(mapping(turn, "error"), "message")
        steps: list[DialogueStep] = [*self._permissions.withdraw_all()]
        if error and status == "failed":
            steps += self._fault(error)
        return [*steps, self._end(_REASONS.get(status, "failed"), status)]

    def _failed(self, params: Mapping[str, Json]) -> DialogueSteps:
        """One after which it tries again; the last one comes with the end of the turn."""
        error = text(mapping(params, "error"), "message")
        return self._fault(error) if self._is_ours(params) and params.get("willRetry") is True else []

    def _asked(self, id: Json, params: Mapping[str, Json]) -> DialogueSteps:
        command = text(params, "command")
        changes = {"grantRoot": text(params, "grantRoot")} if text(params, "grantRoot") else None
        asked = PermissionAsked(
            id=str(id),
            call=text(params, "itemId") or None,
            tool="command" if command else "file_change",
            title=text(params, "reason") or command,
            input={"command": command, "cwd": text(params, "cwd")} if command else changes,
            options=_OPTIONS,
        )
        return self._permissions.ask(asked, lambda option, note: reply(id, {"decision": option}))

    def _resolved(self, params: Mapping[str, Json]) -> DialogueSteps:
        return self._permissions.withdraw(str(params.get("requestId")))


def _refused(reason: str) -> DialogueSteps:
    return [StartRefused(reason)]
