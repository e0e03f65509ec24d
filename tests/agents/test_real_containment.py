"""The real Claude Code with a command of its Bash tool, which has a session of its own: a cancellation ends it, and a
run that a kill -9 of the daemon interrupts goes on with Claude Code's own session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents_lab import Lab, said
from model_streams import Call, Reply
from test_real_agent_node import AGENT, workflow

from jackfield.testing.daemon import poll
from jackfield.testing.processes import is_running

PROMPT = "Tidy up the garden."


def at_work(lab: Lab, alias: str, directory: Path) -> tuple[str, int]:
    """Claude Code waits for a command; the execution's id, and the pid of the command's shell."""
    lab.profile(alias, "claude", "messages", args=["--allowedTools", "Bash"], working_dir=str(directory))
    command = f"echo $$ > {directory}/pid; sleep 30; touch {directory}/effect"
    lab.models.replies = [Reply(calls=[Call("Bash", {"command": command, "description": "Works"})])]
    document: Any = workflow(alias)
    document["nodes"] = document["nodes"][:2]
    document["nodes"][0]["parameters"]["responseMode"] = "onReceived"
    document["nodes"][1]["parameters"] = {**AGENT, "profile": alias, "prompt": PROMPT, "outputFormat": "text"}
    document["connections"].pop("Agent")
    api = lab.daemon.admin(timeout=60)
    saved = lab.daemon.live(document, api)
    assert lab.api.post(f"/webhook/{alias}", json={}).status_code == 200
    pid = directory / "pid"
    poll(lambda: pid.exists() and pid.read_text().endswith("\n"), "the tool's command runs", timeout=60)
    [execution] = api.get("/executions", params={"workflowId": saved}).json()["data"]
    return execution["id"], int(pid.read_text())


def test_a_cancellation_ends_the_command_of_a_tool(lab: Lab, tmp_path: Path) -> None:
    execution, pid = at_work(lab, "cancelled", tmp_path)
    assert is_running(pid)
    answer = lab.daemon.admin(timeout=60).post(f"/executions/{execution}/cancel")
    assert (answer.status_code, answer.json()["status"]) == (202, "cancelled")
    assert not is_running(pid)
    assert not (tmp_path / "effect").exists()


def test_an_interrupted_run_goes_on_with_its_session(lab: Lab, tmp_path: Path) -> None:
    execution, pid = at_work(lab, "interrupted", tmp_path)
    lab.models.replies = [Reply("The garden is tidy.")]
    lab.daemon.kill()
    lab.daemon.start()
    api = lab.daemon.admin(timeout=60)
    address = f"/executions/{execution}"
    poll(lambda: api.get(address).json()["status"] == "success", "it ends", timeout=90)
    assert "The garden is tidy." in str(api.get(address).json())
    assert not is_running(pid)
    first, last = lab.models.served[0], lab.models.served[-1]
    assert any(PROMPT in text for text in said(first.body))
    texts = list(said(last.body))
    assert any(PROMPT in text for text in texts)
    assert any("Look at how far you came" in text for text in texts)
