"""Conversations with real agents, as they were written down: what we sent, and what we heard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jackfield.api.agent_protocols import (
    AgentDialogue,
    AgentReady,
    DialogueStart,
    DialogueSteps,
    MessageKept,
    SendFrame,
    TextAdded,
)
from jackfield_agent_sessions.protocols.offered import PROTOCOLS
from jackfield_agent_sessions.session.hiding import SecretsHidden
from jackfield_agent_sessions.session.history import MessageHistory
from jackfield_agent_sessions.settings import AgentSessionSettings

FRAMES = Path(__file__).parent / "frames"
PROTOCOL_OF = {"claude": "claude", "codex": "codex", "opencode": "acp", "qwen": "acp"}


def dialogue_of(name: str, **more: Any) -> AgentDialogue:
    (protocol,) = [one for one in PROTOCOLS if one.name == name]
    return protocol.dialogue(DialogueStart(**{"cwd": "/home/ada/work", "resume": None, "version": "0", **more}))


@dataclass
class Replay:
    """sent: what our side has written; history: what has come of it all."""

    dialogue: AgentDialogue
    sent: list[Mapping[str, Any]] = field(default_factory=list)
    sessions: list[str | None] = field(default_factory=list)
    history: MessageHistory = field(
        default_factory=lambda: MessageHistory(AgentSessionSettings(), SecretsHidden([], str), lambda: 0)
    )

    def take(self, steps: DialogueSteps) -> None:
        for step in steps:
            if isinstance(step, SendFrame):
                self.sent.append(step.frame)
            elif isinstance(step, AgentReady):
                self.sessions.append(step.session)
            elif isinstance(step, TextAdded):
                self.history.add(step)
            elif isinstance(step, MessageKept):
                self.history.keep(step.key, step.message)

    def heard(self, **frame: Any) -> None:
        self.take(self.dialogue.received(frame))

    def messages(self) -> list[dict[str, Any]]:
        return [one.message.model_dump(mode="json") for one in self.history.since(0)]


def replayed(agent: str) -> Replay:
    """The recorded conversation once more, with our own side as it is now."""
    replay = Replay(dialogue_of(PROTOCOL_OF[agent]))
    for line in (FRAMES / f"{agent}.jsonl").read_text().splitlines():
        told = json.loads(line)
        if "heard" in told:
            replay.take(replay.dialogue.received(told["heard"]))
        else:
            _act(replay, told["sent"])
    return replay


def _act(replay: Replay, frame: dict[str, Any]) -> None:
    """Do what made us send this; what follows by itself is left out."""
    dialogue, before = replay.dialogue, len(replay.sent)
    request = frame.get("request", {})
    if frame.get("method") == "initialize" or request.get("subtype") == "initialize":
        replay.take(dialogue.begin())
    elif frame.get("method") in ("turn/start", "session/prompt"):
        (part,) = frame["params"].get("input") or frame["params"]["prompt"]
        replay.take(dialogue.say(part["text"]))
    elif frame.get("type") == "user":
        replay.take(dialogue.say(frame["message"]["content"]))
    elif frame.get("method") in ("turn/interrupt", "session/cancel") or request.get("subtype") == "interrupt":
        replay.take(dialogue.interrupt())
    elif "result" in frame:
        result = frame["result"]
        replay.take(dialogue.answer(str(frame["id"]), result.get("decision") or result["outcome"]["optionId"], ""))
        assert replay.sent[before:] == [{"jsonrpc": "2.0", **frame}]
    elif frame.get("type") == "control_response":
        response = frame["response"]
        allowed = response["response"]["behavior"] == "allow"
        note = response["response"].get("message", "")
        replay.take(dialogue.answer(response["request_id"], "allow" if allowed else "reject", note))
        assert replay.sent[before:] == [frame]
