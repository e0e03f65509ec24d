"""MCP servers of a profile, in the agents' own formats: each agent starts or asks them, and offers their tool."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agents_lab import PROGRAMS, Lab
from mcp_server import WordServer
from model_streams import Reply, Used

CASES = [("claude", "messages"), ("codex", "responses"), ("opencode", "messages"), ("qwen", "completions"),
         ("gemini", "gemini")]  # fmt: skip
SECRET = "mcp-canary-0123456789"


@pytest.fixture
def words() -> Iterator[WordServer]:
    made = WordServer()
    yield made
    made.close()


@pytest.mark.parametrize(("agent", "provider"), CASES)
def test_tools_of_both_kinds_of_servers_are_offered(lab: Lab, words: WordServer, agent: str, provider: str) -> None:
    if not (PROGRAMS / agent).exists():
        pytest.skip(f"npm has not installed {agent}")
    alias = f"{agent}-mcp"
    near = {"command": sys.executable, "args": [str(Path(__file__).with_name("mcp_server.py"))]}
    far = {"url": words.url, "headers": {"X-Key": SECRET}}
    lab.profile(alias, agent, provider, mcp_servers={"near": near, "far": far})
    lab.models.replies = [Reply("I have tools.", used=Used(fresh=10, output=5))] * 2
    run = lab.run(alias, "Which tools have you?")
    lab.models.replies.clear()
    assert run["exit_code"] == 0, run
    offered = json.dumps(lab.models.served[0].body["tools"])
    assert words.keys == {SECRET}
    if agent == "gemini":  # it sends its first request while it still gets to know its servers
        lab.models.leaving.clear()
        return
    if agent == "codex":  # before OpenAI's own API it looks for its plugins
        assert all(name.endswith(("github.com:443", "chatgpt.com:443")) for name in lab.models.leaving)
        lab.models.leaving.clear()
    # Claude Code and Qwen Code may offer them by the search for tools; their names stand in the request all the same.
    everything = offered + json.dumps(lab.models.served[0].body)
    assert "tell_word" in everything, offered[:2000]
    assert SECRET not in lab.api.get(f"/api/profiles/{alias}").text
    assert SECRET not in json.dumps(run)
