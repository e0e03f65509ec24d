"""Agents as npm installs them, spoken to in their own protocols: what they say, permissions given and refused, an
interruption, an end, and a session that goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from agent_talks import Talk
from agents_lab import KEY, PROGRAMS, Lab, said, tokens
from model_streams import Call, Reply, Used

from jackfield.testing.daemon import poll
from jackfield.testing.processes import is_running


@dataclass(frozen=True)
class Speaker:
    """tool: by which it runs a command, with these arguments beside it; command: the name of the command's argument."""

    agent: str
    provider: str
    protocol: str
    tool: str
    command: str = "command"
    more: Mapping[str, Any] = field(default_factory=dict)
    args: tuple[str, ...] = ()

    def run(self, command: str) -> Call:
        return Call(self.tool, {self.command: command, **self.more})


SPEAKERS = [
    Speaker("claude", "messages", "claude", "Bash", more={"description": "Works"}),
    # Codex's own sandbox needs a kernel that lets it make namespaces, which containers mostly do not.
    Speaker("codex", "responses", "codex", "exec_command", "cmd", args=("-c", "sandbox_mode=danger-full-access")),
    Speaker("opencode", "messages", "acp", "bash", more={"description": "Works"}),
    Speaker("qwen", "completions", "acp", "run_shell_command", more={"description": "Works", "is_background": False}),
]
USED = Used(fresh=100, output=7)


@pytest.fixture(params=SPEAKERS, ids=lambda speaker: speaker.agent)
def speaker(request: pytest.FixtureRequest, lab: Lab, tmp_path: Path) -> Speaker:
    found: Speaker = request.param
    if not (PROGRAMS / found.agent).exists():
        pytest.skip(f"npm has not installed {found.agent}")
    poll(lambda: lab.data(lab.api.get(f"/api/agents/{found.agent}"))["installed"], "it is found", timeout=60)
    # OpenCode asks for nothing unless it is told to.
    (tmp_path / "opencode.json").write_text(json.dumps({"permission": {"bash": "ask"}}))
    return found


def talk(lab: Lab, speaker: Speaker, directory: Path, alias: str, **more: Any) -> Talk:
    lab.profile(alias, speaker.agent, speaker.provider, args=list(speaker.args), working_dir=str(directory))
    return Talk.begin(lab, alias, **more)


def forgiving(lab: Lab, speaker: Speaker) -> None:
    """What some ask beside their turns is none of the tests' business."""
    lab.models.replies.clear()
    lab.models.strange.clear()
    if speaker.agent == "codex":  # before OpenAI's own API it looks for its plugins
        lab.models.leaving.clear()


def test_messages_and_permissions(lab: Lab, speaker: Speaker, tmp_path: Path) -> None:
    alias = f"talk-{speaker.agent}"
    session = talk(lab, speaker, tmp_path, alias)
    assert session.shown()["protocol"] == speaker.protocol

    lab.models.replies = [Reply("The word is cormorant.", used=USED)]
    session.say("Which word is it?")
    session.until("idle")
    assert [(one["type"], one.get("text")) for one in session.told() if one["type"] in ("user", "text")] == [
        ("user", "Which word is it?"),
        ("text", "The word is cormorant."),
    ]
    assert session.of("turn_end")[-1]["reason"] == "completed"
    assert session.of("usage")[-1]["input_tokens"] == 100
    assert session.of("usage")[-1]["output_tokens"] == 7
    assert any("Which word is it?" in text for text in said(lab.models.served[0].body))

    made = tmp_path / "made"
    for kind, happens in (("reject_once", False), ("allow_once", True)):
        lab.models.replies = [Reply("I write.", [speaker.run("echo yes > made")], USED), Reply("So be it.", used=USED)]
        session.say("Make the file.")
        session.until("asking")
        asked = session.of("permission")[-1]
        assert "echo yes > made" in json.dumps(asked["input"]) + asked["title"]
        assert session.of("tool_call")[-1]["call"] == asked["call"]
        assert not made.exists()
        session.answer(kind)
        session.until("idle")
        assert made.exists() is happens
        permission, result = session.of("permission")[-1], session.of("tool_result")[-1]
        assert (permission["state"], result["call"]) == ("answered", asked["call"])
        if happens:
            assert not result["failed"]

    ended = session.end()
    assert ended["state"] == "ended"
    assert ended["agent_session"]
    session.until("ended")
    assert KEY not in json.dumps(session.told())
    main = [one.used for one in lab.models.served]
    if speaker.agent != "qwen":  # which keeps no log that is read
        assert lab.usage(alias)["total_tokens"] == tokens(main)
    forgiving(lab, speaker)

    again = Talk.begin(lab, alias, resume=ended["agent_session"])
    lab.models.replies = [Reply("It was cormorant.", used=USED)]
    again.say("Which word was it?")
    again.until("idle")
    assert again.of("text")[-1]["text"] == "It was cormorant."
    assert any("The word is cormorant." in text for text in said(lab.models.served[-1].body))
    again.end()
    forgiving(lab, speaker)


def at_work(lab: Lab, speaker: Speaker, directory: Path, alias: str) -> tuple[Talk, int]:
    """A session that waits for a command, and the pid of the command's shell."""
    session = talk(lab, speaker, directory, alias)
    lab.models.replies = [Reply(calls=[speaker.run(f"echo $$ > {directory}/pid; sleep 30; touch {directory}/effect")])]
    session.say("Work.")
    session.until("asking")
    session.answer("allow_once")
    pid = directory / "pid"
    poll(lambda: pid.exists() and pid.read_text().endswith("\n"), "the tool's command runs", timeout=60)
    return session, int(pid.read_text())


def test_an_interruption_and_what_comes_after_it(lab: Lab, speaker: Speaker, tmp_path: Path) -> None:
    session, pid = at_work(lab, speaker, tmp_path, f"broken-{speaker.agent}")
    begun = time.monotonic()
    session.interrupt()
    session.until("idle")
    assert time.monotonic() - begun < 20
    assert session.of("turn_end")[-1]["reason"] == "interrupted"

    lab.models.replies = [Reply("Here I am.", used=USED)]
    session.say("Are you there?")
    session.until("idle")
    assert session.of("text")[-1]["text"] == "Here I am."
    assert session.of("turn_end")[-1]["reason"] == "completed"
    session.end()
    assert not is_running(pid)
    assert not (tmp_path / "effect").exists()
    forgiving(lab, speaker)


def test_an_interruption_withdraws_an_open_permission(lab: Lab, speaker: Speaker, tmp_path: Path) -> None:
    session = talk(lab, speaker, tmp_path, f"asked-{speaker.agent}")
    lab.models.replies = [Reply(calls=[speaker.run("echo yes > made")])]
    session.say("Make the file.")
    session.until("asking")
    session.interrupt()
    session.until("idle")
    assert session.of("permission")[-1]["state"] == "withdrawn"
    assert session.of("turn_end")[-1]["reason"] == "interrupted"
    session.end()
    assert not (tmp_path / "made").exists()
    forgiving(lab, speaker)


def test_an_end_leaves_no_process(lab: Lab, speaker: Speaker, tmp_path: Path) -> None:
    session, pid = at_work(lab, speaker, tmp_path, f"ended-{speaker.agent}")
    assert is_running(pid)
    session.end()
    assert not is_running(pid)
    assert not (tmp_path / "effect").exists()
    refused = lab.api.post(f"{session.path}/messages", json={"text": "Are you there?"})
    assert (refused.status_code, refused.json()["code"]) == (409, "SESSION_ENDED")
    forgiving(lab, speaker)
