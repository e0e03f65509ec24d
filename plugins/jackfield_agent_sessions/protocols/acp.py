"""The Agent Client Protocol, version 1, as its client: OpenCode, Qwen Code, Gemini CLI and others speak it.

Source: https://agentclientprotocol.com, and the frames of OpenCode 1.18 and Qwen Code 0.15. We offer neither files nor
terminals: the agent reads, writes and runs by itself, inside of its container.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import get_args

from jackfield.api.agent_protocols import (
    AgentFault,
    AgentReady,
    DialogueStart,
    DialogueSteps,
    MessageKept,
    PermissionAsked,
    PermissionOption,
    SendFrame,
    StartRefused,
    TurnEnded,
)
from jackfield.api.jsontext import Json
from jackfield_agent_sessions.protocols.acp_updates import TurnUpdates
from jackfield_agent_sessions.protocols.fields import mapping, objects, text
from jackfield_agent_sessions.protocols.jsonrpc import JsonRpcPeer, notice, reply
from jackfield_agent_sessions.protocols.permissions import OpenPermissions

VERSION = 1
_KINDS = get_args(PermissionOption.model_fields["kind"].annotation)
_REASONS: Mapping[str, str] = {"end_turn": "completed", "cancelled": "interrupted"}


class AcpProtocol:
    """`AgentProtocol`."""

    name = "acp"

    def dialogue(self, start: DialogueStart) -> AcpDialogue:
        return AcpDialogue(start)


class AcpDialogue:
    """`AgentDialogue`. For a session that goes on, the agent sends each message again."""

    def __init__(self, start: DialogueStart) -> None:
        self._start = start
        self._session = ""
        self._numbers = count(1)
        self._updates = TurnUpdates(self._numbers)
        self._permissions = OpenPermissions()
        self._cancelling: dict[str, Json] = {}
        self._interrupted = False
        self._peer = JsonRpcPeer({"session/request_permission": self._asked}, {"session/update": self._updated})

    def begin(self) -> DialogueSteps:
        params: dict[str, Json] = {
            "protocolVersion": VERSION,
            "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False},
            "clientInfo": {"name": "jackfield", "title": "Jackfield", "version": self._start.version},
        }
        return [self._peer.ask("initialize", params, self._initialized, _refused)]

    def received(self, frame: Mapping[str, Json]) -> DialogueSteps:
        return self._peer.received(frame)

    def say(self, text: str) -> DialogueSteps:
        self._updates.closed()
        self._interrupted = False
        params: dict[str, Json] = {"sessionId": self._session, "prompt": [{"type": "text", "text": text}]}
        return [self._peer.ask("session/prompt", params, self._prompted, self._failed)]

    def answer(self, permission: str, option: str, note: str) -> DialogueSteps:
        steps = self._permissions.answer(permission, option, note)
        self._cancelling.pop(permission, None)
        return steps

    def interrupt(self) -> DialogueSteps:
        """The protocol wants open requests for permissions answered with `cancelled`."""
        self._interrupted = True
        told = [SendFrame(reply(one, {"outcome": {"outcome": "cancelled"}})) for one in self._cancelling.values()]
        self._cancelling.clear()
        return [notice("session/cancel", {"sessionId": self._session}), *told, *self._permissions.withdraw_all()]

    def _initialized(self, result: Mapping[str, Json]) -> DialogueSteps:
        params: dict[str, Json] = {"cwd": self._start.cwd, "mcpServers": []}
        if self._start.resume is None:
            return [self._peer.ask("session/new", params, self._opened, _refused)]
        if mapping(result, "agentCapabilities").get("loadSession") is not True:
            return _refused("It cannot go on with an earlier session.")
        self._session = self._start.resume
        params["sessionId"] = self._session
        return [self._peer.ask("session/load", params, self._opened, _refused)]

    def _opened(self, result: Mapping[str, Json]) -> DialogueSteps:
        self._updates.closed()
        self._session = text(result, "sessionId") or self._session
        return [AgentReady(self._session)] if self._session else _refused("It has named no session.")

    def _updated(self, params: Mapping[str, Json]) -> DialogueSteps:
        return self._updates.received(mapping(params, "update"))

    def _prompted(self, result: Mapping[str, Json]) -> DialogueSteps:
        stop = text(result, "stopReason")
        reason = "interrupted" if self._interrupted else _REASONS.get(stop, "failed")
        return [*self._updates.spent(mapping(result, "usage")), *self._over(reason, stop)]

    def _failed(self, reason: str) -> DialogueSteps:
        if self._interrupted:  # some agents answer a cancelled prompt with an error
            return self._over("interrupted", reason)
        return [MessageKept(f"error-{next(self._numbers)}", AgentFault(text=reason)), *self._over("failed", "error")]

    def _over(self, reason: str, detail: str) -> DialogueSteps:
        self._updates.closed()
        self._cancelling.clear()
        ended = TurnEnded.model_validate({"reason": reason, "detail": detail})
        return [*self._permissions.withdraw_all(), MessageKept(f"turn-{next(self._numbers)}", ended)]

    def _asked(self, id: Json, params: Mapping[str, Json]) -> DialogueSteps:
        call = mapping(params, "toolCall")
        offered = objects(params, "options")
        asked = PermissionAsked(
            id=str(id),
            call=text(call, "toolCallId") or None,
            tool=text(mapping(call, "_meta"), "toolName") or text(call, "kind") or "other",
            title=text(call, "title"),
            input=call.get("rawInput"),
            options=tuple(_option(one) for one in offered),
        )
        self._cancelling[asked.id] = id
        called = self._updates.called({**call, "status": "pending"}) if asked.call else []
        return [*called, *self._permissions.ask(asked, lambda option, note: _chosen(id, option))]


def _option(offered: Mapping[str, Json]) -> PermissionOption:
    """One of an unknown kind may allow something, and counts as one that allows nothing for good."""
    kind = text(offered, "kind")
    return PermissionOption.model_validate(
        {
            "id": text(offered, "optionId"),
            "name": text(offered, "name"),
            "kind": kind if kind in _KINDS else "allow_once",
        }
    )


def _chosen(id: Json, option: str) -> Mapping[str, Json]:
    return reply(id, {"outcome": {"outcome": "selected", "optionId": option}})


def _refused(reason: str) -> DialogueSteps:
    return [StartRefused(reason)]
