"""A workflow that is offered as a tool: real agents find it in their own configuration, and call it with the token of
their run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents_lab import PROGRAMS, Lab
from mcp_scripts import calls, says

from jackfield.testing.documents import chain, node, set_fields

AGENTS = [("claude", "messages"), ("codex", "responses"), ("opencode", "messages")]
ALLOWED = {
    "claude": ["--allowedTools", "mcp__jackfield_tools"],
    "codex": ["-c", 'mcp_servers.jackfield_tools.default_tools_approval_mode="approve"'],
}
ENV = {"claude": {"ENABLE_TOOL_SEARCH": "false"}}


def offer(lab: Lab, name: str) -> str:
    """The id of a live workflow that is the tool of this name."""
    fields = {"workflowInputs": {"values": [{"name": "word", "type": "string"}]}}
    start = node("Call", "executeWorkflowTrigger", fields, version=1.1)
    document = chain(name, start, set_fields("Say", said="={{ $json.word + ' ' + $json.word }}"))
    document["settings"] = {"offerAsTool": {"enabled": True, "name": name, "description": "Says a word twice."}}
    return str(lab.daemon.live(document))


def prepared(lab: Lab, alias: str, agent: str, provider: str) -> None:
    lab.profile(alias, agent, provider, env=ENV.get(agent, {}))
    # Agents give a server some seconds, and the first request loads what the daemon needs for it.
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}
    lab.daemon.client(timeout=60).post("/mcp", json=listing, headers=accept).raise_for_status()


@pytest.mark.parametrize(("agent", "provider"), AGENTS)
def test_an_agent_calls_an_offered_workflow(lab: Lab, agent: str, provider: str) -> None:
    if not (PROGRAMS / agent).exists():
        pytest.skip(f"npm has not installed {agent}")
    tool, alias = f"twice_{agent}", f"{agent}-offered"
    ident = offer(lab, tool)
    prepared(lab, alias, agent, provider)
    lab.models.replies = [calls(tool, {"word": "echo"}), says("It said echo echo.")]
    run = lab.run(alias, "Say echo twice.", args=ALLOWED.get(agent, []))
    left, lab.models.replies = lab.models.replies, []
    assert run["exit_code"] == 0, run
    assert left == [], (run, lab.models.strange, json.dumps(lab.models.served[-1].body)[-3000:])
    lab.models.leaving.clear()  # Codex looks for its maker's plugins, see test_real_mcp
    api = lab.daemon.admin()
    (execution,) = api.get("/executions", params={"workflowId": ident}).json()["data"]
    assert (execution["status"], execution["mode"]) == ("success", "trigger")
    told = json.dumps(lab.models.served[-1].body)
    assert "echo echo" in told
    no_secret_is_left(lab, alias, run)


def no_secret_is_left(lab: Lab, alias: str, run: Any) -> None:
    """The token is over with the run, and was in no file, no answer and no log."""
    assert lab.daemon.admin().get("/mcp/profile-tokens").json()["total"] == 0
    assert "jf_pt_" not in json.dumps(run) + lab.daemon.tail(2000)
    home = next(path for path in lab.home.glob(f".*-profiles/{alias}") if path.is_dir())
    files = [path for path in home.rglob("*") if path.is_file() and not path.is_symlink()]
    assert not [path for path in files if b"jf_pt_" in path.read_bytes()]


def test_qwen_code_is_told_of_it(lab: Lab) -> None:
    """It hides tools of servers behind a search for tools, but for their names."""
    if not (PROGRAMS / "qwen").exists():
        pytest.skip("npm has not installed qwen")
    offer(lab, "twice_qwen")
    prepared(lab, "qwen-offered", "qwen", "completions")
    lab.models.replies = [says("I have a tool.")]
    run = lab.run("qwen-offered", "Which tools have you?")
    lab.models.replies.clear()
    # It asks once more behind an answer; not what is tested here.
    lab.models.strange[:] = [line for line in lab.models.strange if "one more request" not in line]
    assert run["exit_code"] == 0, run
    assert "twice_qwen" in json.dumps(lab.models.served[0].body)
    no_secret_is_left(lab, "qwen-offered", run)
