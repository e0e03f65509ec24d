"""Gemini CLI as npm installs it, against the model server, and the usage in its log."""

from __future__ import annotations

from pathlib import Path

import pytest
from agents_lab import KEY, PROGRAMS, Lab, said, tokens
from model_streams import Call, Reply, Used

pytestmark = pytest.mark.skipif(not (PROGRAMS / "gemini").exists(), reason="npm has not installed Gemini CLI")


@pytest.mark.parametrize("provider", ["gemini", "gemini-by-openai"])
def test_an_answer_and_its_usage(lab: Lab, provider: str) -> None:
    alias = f"one-{provider}"
    lab.profile(alias, "gemini", provider)
    used = Used(fresh=1000, output=50, cached=300, reasoning=20)
    lab.models.replies = [Reply("It is 42.", used=used)]
    run = lab.run(alias, "--what is the answer?")
    assert (run["exit_code"], run["timed_out"], run.get("result")) == (0, False, "It is 42."), run
    assert [one.key for one in lab.models.served] == [KEY]
    assert run["usage"]["tokens"] == tokens([used])
    assert lab.usage(alias)["total_tokens"] == tokens([used])
    # Its maker is told how it is used, and it looks for a list of its own; its maker is the provider, too.
    assert all(name.endswith((".googleapis.com:443", ".githubusercontent.com:443")) for name in lab.models.leaving)
    lab.models.leaving.clear()


PROXY = {"enabled": True, "port": None, "routing": {"strategy": "Conditional", "rules": []}}
WAYS = {
    "messages": "/v1/messages",
    "completions": "/v1/chat/completions",
    "gemini": "/v1beta/models/:streamGenerateContent",
}
"""Provider -> where it is asked."""


@pytest.mark.parametrize("provider", WAYS)
def test_two_turns_with_a_tool_through_its_proxy(lab: Lab, provider: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the word is cormorant\n")
    alias = f"gemini-by-{provider}"
    lab.profile(alias, "gemini", provider, working_dir=str(tmp_path), proxy_config=PROXY)
    used = [Used(fresh=1000 + number, output=50 + number, cached=300) for number in (1, 2)]
    call = Call("read_file", {"file_path": str(tmp_path / "secret.txt")})
    lab.models.replies = [Reply("I shall look.", [call], used[0]), Reply("It is cormorant.", used=used[1])]
    run = lab.run(alias, "What is the word in secret.txt?")
    assert run["exit_code"] == 0, run
    assert run["result"].endswith("It is cormorant."), run
    asked, told = lab.models.served
    assert {(one.path, one.key) for one in (asked, told)} == {(WAYS[provider], KEY)}
    assert not any("the word is cormorant" in text for text in said(asked.body))
    assert any("the word is cormorant" in text for text in said(told.body))
    assert lab.usage(alias)["total_tokens"] == tokens(used)
    listed = lab.data(lab.api.get(f"/api/proxy/{alias}/requests"))
    assert [one["translated"] for one in listed if one["usage"] is not None] == [provider != "gemini"] * 2
    lab.data(lab.api.post(f"/api/proxy/{alias}/stop"))
    assert all(name.endswith((".googleapis.com:443", ".githubusercontent.com:443")) for name in lab.models.leaving)
    lab.models.leaving.clear()
