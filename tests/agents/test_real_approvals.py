"""Real agents whose tools wait in the inbox of approvals: runs of Claude Code, sessions of Claude Code and Codex."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from agent_talks import Talk
from agents_lab import PROGRAMS, Lab, said
from model_streams import Call, Reply

from jackfield.testing.daemon import poll

COMMAND = "python3 -c \"open('made', 'w')\""


@pytest.fixture
def inbox(lab: Lab) -> httpx.Client:
    return lab.daemon.admin(timeout=60)


def needs(lab: Lab, agent: str) -> None:
    if not (PROGRAMS / agent).exists():
        pytest.skip(f"npm has not installed {agent}")
    poll(lambda: lab.data(lab.api.get(f"/api/agents/{agent}"))["installed"], "it is found", timeout=60)


def asked(inbox: httpx.Client) -> Any:
    def look() -> Any:
        return inbox.get("/approvals").raise_for_status().json()["data"]

    (found,) = poll(look, "the agent asks", timeout=60)
    return found


def answer(inbox: httpx.Client, approval: Any, option: str, note: str = "") -> httpx.Response:
    return inbox.post(f"/approvals/{approval['id']}", json={"option": option, "note": note})


@pytest.mark.parametrize(("option", "happens"), [("reject", False), ("allow", True)])
def test_a_run_of_claude_waits_for_a_person(
    lab: Lab, inbox: httpx.Client, tmp_path: Path, option: str, happens: bool
) -> None:
    needs(lab, "claude")
    alias = f"inbox-{option}"
    lab.profile(alias, "claude", "messages", working_dir=str(tmp_path), approvals="inbox")
    lab.models.replies = [Reply("I write.", [Call("Bash", {"command": COMMAND, "description": "w"})]), Reply("Done.")]
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(lab.run, alias, "Make the file.")
        found = asked(inbox)
        assert (found["profile"], found["askedBy"], found["tool"]) == (alias, "run", "Bash")
        assert found["input"]["command"] == COMMAND
        assert not (tmp_path / "made").exists()
        assert answer(inbox, found, option, "Use touch.").status_code == 200
        result = run.result()
    assert (result["success"], result["result"]) == (True, "Done.")
    assert (tmp_path / "made").exists() is happens
    assert any("Use touch." in text for text in said(lab.models.served[-1].body)) is not happens


def test_a_run_that_is_ended_asks_no_more(lab: Lab, inbox: httpx.Client, tmp_path: Path) -> None:
    needs(lab, "claude")
    lab.profile("inbox-late", "claude", "messages", working_dir=str(tmp_path), approvals="inbox")
    lab.models.replies = [Reply("I write.", [Call("Bash", {"command": COMMAND, "description": "w"})])]
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(
            lab.api.post, "/api/profiles/inbox-late/run", json={"prompt": "Make the file.", "timeout": 20}
        )
        found = asked(inbox)
        assert run.result().json()["code"] == "RUN_TIMED_OUT"
    poll(lambda: inbox.get(f"/approvals/{found['id']}").json()["state"] == "withdrawn", "it is withdrawn")
    assert answer(inbox, found, "allow").status_code == 409


def test_a_dialog_in_a_terminal_is_answered_from_elsewhere(lab: Lab, inbox: httpx.Client, tmp_path: Path) -> None:
    needs(lab, "claude")
    more: dict[str, Any] = {"approvals": "inbox", "answers": {"trusting": "yes"}}
    lab.profile("inbox-terminal", "claude", "messages", working_dir=str(tmp_path), **more)
    lab.models.replies = [Reply("I write.", [Call("Bash", {"command": COMMAND, "description": "w"})]), Reply("Done.")]
    sessions = "/api/terminal/sessions"
    started = {"profile_alias": "inbox-terminal", "cols": 100, "rows": 30}
    path = f"{sessions}/{lab.data(lab.api.post(sessions, json=started))['session_id']}"
    message = {"content": "Make the file.", "type": "user", "wait": None}
    poll(lambda: lab.api.post(f"{path}/message", json=message).status_code == 200, "it takes the message", timeout=60)
    found = asked(inbox)
    assert (found["askedBy"], found["input"]["command"]) == ("terminal_session", COMMAND)
    assert "Do you want to proceed?" in lab.data(lab.api.get(f"{path}/screen"))["text"]
    assert answer(inbox, found, "allow").status_code == 200
    poll((tmp_path / "made").exists, "the tool runs", timeout=60)
    poll(lambda: not lab.models.replies, "the agent goes on", timeout=60)
    lab.api.delete(path)


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_session_asks_in_the_inbox_too(lab: Lab, inbox: httpx.Client, tmp_path: Path, agent: str) -> None:
    needs(lab, agent)
    is_codex = agent == "codex"
    # Codex's own sandbox needs a kernel that lets it make namespaces.
    args = ["-c", "sandbox_mode=danger-full-access"] if is_codex else []
    provider = "responses" if is_codex else "messages"
    lab.profile(f"session-{agent}", agent, provider, args=args, working_dir=str(tmp_path))
    session = Talk.begin(lab, f"session-{agent}")
    tool = "exec_command" if is_codex else "Bash"
    given = {"cmd": COMMAND} if is_codex else {"command": COMMAND, "description": "w"}
    lab.models.replies = [Reply("I write.", [Call(tool, given)]), Reply("Done.")]
    session.say("Make the file.")
    found = asked(inbox)
    assert (found["askedBy"], found["sessionId"]) == ("agent_session", session.id)
    allowing = next(one["id"] for one in found["options"] if one["allows"] and not one["lasting"])
    with ThreadPoolExecutor(2) as pool:
        codes = pool.map(lambda _: answer(inbox, found, allowing).status_code, range(2))
        assert sorted(codes) == [200, 409]
    session.until("idle")
    assert (tmp_path / "made").exists()
    assert session.of("permission")[-1]["state"] == "answered"
    session.end()
    if is_codex:  # before OpenAI's own API it looks for its plugins
        lab.models.leaving.clear()
        lab.models.strange.clear()
