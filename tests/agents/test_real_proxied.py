"""Agents as npm installs them, two turns with a tool, through their profile's proxy: to a provider of the other
dialect, and to one of their own. Their own logs tell the same answers; each is counted once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agents_lab import KEY, Lab, said, tokens
from model_streams import Call, Reply, Used


@dataclass(frozen=True)
class Case:
    """path: where the provider is asked. writes: whether its dialect tells cache writes."""

    agent: str
    provider: str
    path: str
    translated: bool
    writes: bool = False

    @property
    def alias(self) -> str:
        return f"{self.agent}-by-{self.provider}"


CASES = [
    Case("claude", "completions", "/v1/chat/completions", True),
    Case("claude", "messages", "/v1/messages", False, writes=True),
    Case("codex", "messages", "/v1/messages", True, writes=True),
    Case("codex", "completions", "/v1/chat/completions", True),
    Case("codex", "responses", "/v1/responses", False, writes=True),
    Case("claude", "gemini", "/v1beta/models/:streamGenerateContent", True),
    Case("codex", "gemini", "/v1beta/models/:streamGenerateContent", True),
    Case("opencode", "gemini", "/v1beta/models/:streamGenerateContent", True),
    Case("opencode", "messages", "/v1/messages", False, writes=True),
]
READING = {
    "claude": lambda path: Call("Read", {"file_path": path}),
    "codex": lambda path: Call("exec_command", {"cmd": f"cat '{path}'"}),
    "opencode": lambda path: Call("read", {"filePath": path}),
}
"""How each is told to read a file."""
PROXY = {"enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": []}}


def used(case: Case, number: int) -> Used:
    written = 70 * number if case.writes else 0
    return Used(fresh=1000 + number, output=50 + number, cached=300 + number, written=written)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.alias)
def test_two_turns_with_a_tool_and_each_answer_counted_once(case: Case, lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the word is cormorant\n")
    # Codex's own sandbox needs a kernel that lets it make namespaces, which containers mostly do not.
    args = ["--sandbox", "danger-full-access"] if case.agent == "codex" else []
    more: Any = {"working_dir": str(tmp_path), "args": args, "proxy_config": PROXY}
    lab.profile(case.alias, case.agent, case.provider, **more)
    call = READING[case.agent](str(tmp_path / "secret.txt"))
    lab.models.replies = [
        Reply("I shall look.", [call], used(case, 1)), Reply("It is cormorant.", used=used(case, 2))
    ]  # fmt: skip
    run = lab.run(case.alias, "What is the word in secret.txt?")
    assert (run["exit_code"], run.get("result")) == (0, "It is cormorant."), run
    asked, told = lab.models.served
    assert {(one.path, one.key, one.body["model"]) for one in (asked, told)} == {
        (case.path, KEY, f"model-{case.alias}")
    }
    assert not any("the word is cormorant" in text for text in said(asked.body))
    assert any("the word is cormorant" in text for text in said(told.body))

    expected = tokens([asked.used, told.used])
    assert lab.usage(case.alias)["total_tokens"] == expected
    again = {"agent": case.agent, "agent_dir": str(lab.log(case.alias, case.agent))}
    lab.data(lab.api.post("/api/usage/import-agent", params=again))
    assert lab.usage(case.alias)["total_tokens"] == expected

    one_by_one = lab.data(lab.api.get("/api/usage/answers", params={"profile": case.alias}))["rows"]
    assert [row["source"] for row in one_by_one] == ["proxy", "proxy"]
    if case.agent == "codex":
        names = [row["response_id"] for row in one_by_one]
        rollouts = lab.log(case.alias, "codex").rglob("rollout-*.jsonl")
        told = [line for path in rollouts for line in map(json.loads, path.read_text().splitlines())]
        records = [line["payload"] for line in told if line["type"] == "token_usage_record"]
        assert [record["response_id"] for record in records] == names

    listed = lab.data(lab.api.get(f"/api/proxy/{case.alias}/requests"))
    found = [one for one in listed if one["usage"] is not None]
    assert [one["translated"] for one in found] == [case.translated] * 2
    assert [one["provider"] for one in found] == [case.provider] * 2
    # Codex leaves as soon as it has the last event, before the stream's end: it was served all the same.
    assert {one["status"] for one in found} == {200}
    assert KEY not in json.dumps(run)
    lab.data(lab.api.post(f"/api/proxy/{case.alias}/stop"))
    if (case.agent, case.provider) == ("codex", "responses"):  # before OpenAI's own API it looks for its plugins
        assert all(name.endswith(("github.com:443", "chatgpt.com:443")) for name in lab.models.leaving)
        lab.models.leaving.clear()


def test_a_refusal_reaches_the_agent_in_its_own_dialect(lab: Lab) -> None:
    lab.profile("claude-refused-by-proxy", "claude", "completions", proxy_config=PROXY)
    lab.models.refusal = "prompts about cormorants are refused"
    run = lab.run("claude-refused-by-proxy", "Tell me about cormorants.")
    assert (run["exit_code"], run["timed_out"]) == (1, False), run
    assert lab.models.refusal in run["output"]
    lab.data(lab.api.post("/api/proxy/claude-refused-by-proxy/stop"))
