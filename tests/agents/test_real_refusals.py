"""What cannot work is told at once: a key that is refused, a provider that is not there. Agents by themselves ask again
for minutes and print nothing."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest
from agents_lab import KEY, Lab

SECONDS = 40
"""Claude Code alone takes more than two minutes over a refused key; its start, on a busy machine, up to ten seconds."""
CASES = [("claude", "messages"), ("codex", "responses"), ("opencode", "completions")]


def routed(target: str) -> dict[str, Any]:
    """A proxy with a rule: the daemon cannot know before the request whose key it needs."""
    rule = {"name": "all", "condition": {"type": "always"}, "target": target, "priority": 1}
    return {"enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": [rule]}}


@pytest.mark.parametrize(("agent", "provider"), CASES)
def test_a_key_that_is_refused_is_told_before_the_agent_starts(lab: Lab, agent: str, provider: str) -> None:
    alias = f"{agent}-bad-key"
    key = f"{KEY}-refused"  # the daemon remembers for a while that it has seen a key taken
    lab.profile(alias, agent, provider, api_key=key)
    lab.models.refusal, lab.models.refusal_status = "invalid x-api-key", 401
    answer = lab.api.post(f"/api/profiles/{alias}/run", json={"prompt": "Hello."})
    assert (answer.status_code, answer.json()["code"]) == (400, "KEY_REFUSED"), answer.text
    assert lab.models.refused == 1
    assert key not in answer.text


def test_a_refusal_behind_a_proxy_is_not_asked_for_again_and_is_in_the_result(lab: Lab) -> None:
    lab.profile("claude-routed", "claude", "messages", proxy_config=routed("messages/model-a"))
    lab.models.refusal, lab.models.refusal_status = "invalid x-api-key", 401
    began = time.monotonic()
    run = lab.run("claude-routed", "Hello.")
    assert time.monotonic() - began < SECONDS
    assert (run["success"], run["timed_out"]) == (False, False), run
    assert (run["proxy_error"]["status"], run["proxy_error"]["message"]) == (401, "invalid x-api-key")
    assert lab.models.refused <= 2
    lab.data(lab.api.post("/api/proxy/claude-routed/stop"))


def test_a_provider_that_is_not_there_is_told(lab: Lab) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        text = f'id = "gone"\nname = "Gone"\ntype = "anthropic-compatible"\n[endpoints]\nmain = "http://127.0.0.1:{port}"\n'
        (lab.daemon.config_dir / "providers.d" / "gone.toml").write_text(text)
        lab.profile("claude-gone-routed", "claude", "gone", proxy_config=routed("gone/model-a"))
        began = time.monotonic()
        run = lab.run("claude-gone-routed", "Hello.")
        assert time.monotonic() - began < SECONDS
        assert not run["success"]
        assert run["proxy_error"]["status"] == 502
        assert "cannot be reached" in run["proxy_error"]["message"]
        lab.data(lab.api.post("/api/proxy/claude-gone-routed/stop"))
