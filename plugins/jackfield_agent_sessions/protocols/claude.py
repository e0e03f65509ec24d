"""Claude Code's stream-json: `--input-format stream-json --output-format stream-json --permission-prompt-tool stdio`.

Source: the frames of Claude Code 2.1.197 and of its Agent SDK; `tests/plugins/agent_sessions/frames`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import count

from jackfield.api.agent_protocols import (
    AgentFault,
    AgentMessage,
    AgentReady,
    AgentSaid,
    AgentThought,
    DialogueStart,
    DialogueStep,
    DialogueSteps,
    MessageKept,
    PermissionAsked,
    PermissionOption,
    SendFrame,
    StartRefused,
    TextAdded,
    TokensSpent,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
)
from jackfield.api.jsontext import Json
from jackfield_agent_sessions.protocols.fields import mapping, number, objects, text, texts
from jackfield_agent_sessions.protocols.permissions import OpenPermissions

BEGIN = "initialize"
"""Id of our first request."""
REFUSED = "The user has refused this."
_ALLOW = PermissionOption(id="allow", name="Allow", kind="allow_once")
_ALWAYS = PermissionOption(id="allow_for_session", name="Allow for this session", kind="allow_always")
_REJECT = PermissionOption(id="reject", name="Reject", kind="reject_once")


class ClaudeProtocol:
    """`AgentProtocol`."""

    name = "claude"

    def dialogue(self, start: DialogueStart) -> ClaudeDialogue:
        return ClaudeDialogue()


class ClaudeDialogue:
    """`AgentDialogue`. The session is resumed by an argument, and named in every frame after the first message."""

    def __init__(self) -> None:
        self._session = ""
        self._numbers = count(1)
        self._message: dict[str, str] = {}
        self._block: dict[str, str] = {}
        self._permissions = OpenPermissions()
        self._interrupted = False
        self._readers = {
            "system": self._system,
            "stream_event": self._piece,
            "assistant": self._assistant,
            "user": self._results,
            "result": self._result,
            "control_request": self._request,
            "control_response": self._response,
            "control_cancel_request": self._cancelled,
        }

    def begin(self) -> DialogueSteps:
        return [_control(BEGIN, {"subtype": "initialize", "hooks": None})]

    def say(self, text: str) -> DialogueSteps:
        self._interrupted = False
        message: dict[str, Json] = {"role": "user", "content": text}
        return [SendFrame({"type": "user", "session_id": "", "parent_tool_use_id": None, "message": message})]

    def answer(self, permission: str, option: str, note: str) -> DialogueSteps:
        return self._permissions.answer(permission, option, note)

    def interrupt(self) -> DialogueSteps:
        self._interrupted = True
        return [
            *self._permissions.withdraw_all(),
            _control(f"interrupt-{next(self._numbers)}", {"subtype": "interrupt"}),
        ]

    def received(self, frame: Mapping[str, Json]) -> DialogueSteps:
        reader = self._readers.get(text(frame, "type"))
        return [] if reader is None else reader(frame)

    def _system(self, frame: Mapping[str, Json]) -> DialogueSteps:
        session = text(frame, "session_id")
        if text(frame, "subtype") != "init" or session in ("", self._session):
            return []
        self._session = session
        return [AgentReady(session)]

    def _piece(self, frame: Mapping[str, Json]) -> DialogueSteps:
        """Of an answer. Those of subagents come between others, each with its parent."""
        parent, event = text(frame, "parent_tool_use_id"), mapping(frame, "event")
        kind = text(event, "type")
        if kind == "message_start":
            self._message[parent] = text(mapping(event, "message"), "id")
        elif kind == "content_block_start":
            self._block[parent] = f"{self._message.get(parent, parent)}:{number(event, 'index')}"
        elif kind == "message_stop":
            self._message.pop(parent, None)
            self._block.pop(parent, None)
        elif kind == "content_block_delta" and parent in self._block:
            delta = mapping(event, "delta")
            if text(delta, "type") == "text_delta":
                return [TextAdded(self._block[parent], "text", text(delta, "text"))]
            if text(delta, "type") == "thinking_delta":
                return [TextAdded(self._block[parent], "thinking", text(delta, "thinking"))]
        return []

    def _assistant(self, frame: Mapping[str, Json]) -> DialogueSteps:
        """A block that is complete. Its pieces have come before, unless it is a subagent's."""
        parent = text(frame, "parent_tool_use_id")
        steps: list[DialogueStep] = []
        for block in objects(mapping(frame, "message"), "content"):
            message = _block_message(block)
            if message is not None:
                key = self._block.pop(parent, None) or f"block-{next(self._numbers)}"
                steps.append(MessageKept(key, message))
        return steps

    def _results(self, frame: Mapping[str, Json]) -> DialogueSteps:
        return [
            MessageKept(
                f"result:{text(block, 'tool_use_id')}",
                ToolAnswered(
                    call=text(block, "tool_use_id"),
                    output=texts(block.get("content")),
                    failed=block.get("is_error") is True,
                ),
            )
            for block in objects(mapping(frame, "message"), "content")
            if text(block, "type") == "tool_result"
        ]

    def _result(self, frame: Mapping[str, Json]) -> DialogueSteps:
        """The end of a turn."""
        usage, number_ = mapping(frame, "usage"), next(self._numbers)
        spent = TokensSpent(
            input_tokens=number(usage, "input_tokens"),
            output_tokens=number(usage, "output_tokens"),
            cache_creation_input_tokens=number(usage, "cache_creation_input_tokens"),
            cache_read_input_tokens=number(usage, "cache_read_input_tokens"),
        )
        steps: list[DialogueStep] = [
            *self._permissions.withdraw_all(),
            MessageKept(f"usage-{number_}", spent),
        ]
        failed, subtype = frame.get("is_error") is True, text(frame, "subtype")
        if failed and not self._interrupted:
            told = text(frame, "result") or "\n".join(map(texts, _list(frame, "errors"))) or subtype
            steps.append(MessageKept(f"error-{number_}", AgentFault(text=told)))
        ended = TurnEnded(
            reason="interrupted" if self._interrupted else "failed" if failed else "completed", detail=subtype
        )
        self._interrupted = False
        return [*steps, MessageKept(f"turn-{number_}", ended)]

    def _request(self, frame: Mapping[str, Json]) -> DialogueSteps:
        request, asked_id = mapping(frame, "request"), text(frame, "request_id")
        if text(request, "subtype") != "can_use_tool":
            error: dict[str, Json] = {
                "subtype": "error",
                "request_id": asked_id,
                "error": "This client knows no such request.",
            }
            return [SendFrame({"type": "control_response", "response": error})]
        options = (_ALLOW, _ALWAYS, _REJECT) if _rules(request) else (_ALLOW, _REJECT)
        asked = PermissionAsked(
            id=asked_id,
            call=text(request, "tool_use_id") or None,
            tool=text(request, "tool_name"),
            title=text(request, "title") or text(request, "description"),
            input=request.get("input"),
            options=options,
        )
        return self._permissions.ask(asked, partial(_decision, request, asked_id))

    def _response(self, frame: Mapping[str, Json]) -> DialogueSteps:
        response = mapping(frame, "response")
        if text(response, "request_id") != BEGIN:
            return []
        if text(response, "subtype") == "success":
            return [AgentReady()]
        return [StartRefused(text(response, "error") or "It has refused to begin.")]

    def _cancelled(self, frame: Mapping[str, Json]) -> DialogueSteps:
        return self._permissions.withdraw(text(frame, "request_id"))


def _control(id: str, request: Mapping[str, Json]) -> SendFrame:
    return SendFrame({"type": "control_request", "request_id": id, "request": dict(request)})


def _decision(request: Mapping[str, Json], id: str, option: str, note: str) -> Mapping[str, Json]:
    decision: dict[str, Json]
    if option == _REJECT.id:
        decision = {"behavior": "deny", "message": note or REFUSED}
    else:
        decision = {"behavior": "allow", "updatedInput": request.get("input")}
        if option == _ALWAYS.id:
            decision["updatedPermissions"] = _rules(request)
    return {
        "type": "control_response",
        "response": {"subtype": "success", "request_id": id, "response": decision},
    }


def _rules(request: Mapping[str, Json]) -> list[Json]:
    """Of what Claude Code suggests, the rules alone, and for the session alone. The rest would allow more than is asked
    for, or write into the project's settings."""
    return [
        {**suggested, "destination": "session"}
        for suggested in objects(request, "permission_suggestions")
        if text(suggested, "type") == "addRules"
    ]


def _block_message(block: Mapping[str, Json]) -> AgentMessage | None:
    kind = text(block, "type")
    if kind == "text":
        return AgentSaid(text=text(block, "text"))
    if kind == "thinking":
        return AgentThought(text=text(block, "thinking"))
    if kind in ("tool_use", "server_tool_use"):
        return ToolCalled(call=text(block, "id"), tool=text(block, "name"), input=block.get("input"))
    return None


def _list(frame: Mapping[str, Json], name: str) -> list[Json]:
    found = frame.get(name)
    return found if isinstance(found, list) else []
