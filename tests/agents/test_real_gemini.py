"""Gemini CLI as npm installs it, against the model server, and the usage in its log."""

from __future__ import annotations

import pytest
from agents_lab import KEY, PROGRAMS, Lab, tokens
from model_streams import Reply, Used

pytestmark = pytest.mark.skipif(not (PROGRAMS / "gemini").exists(), reason="npm has not installed Gemini CLI")


def test_an_answer_and_its_usage(lab: Lab) -> None:
    lab.profile("gemini-one", "gemini", "gemini")
    used = Used(fresh=1000, output=50, cached=300, reasoning=20)
    lab.models.replies = [Reply("It is 42.", used=used)]
    run = lab.run("gemini-one", "--what is the answer?")
    assert (run["exit_code"], run["timed_out"], run.get("result")) == (0, False, "It is 42."), run
    assert [one.key for one in lab.models.served] == [KEY]
    assert run["usage"]["tokens"] == tokens([used])
    assert lab.usage("gemini-one")["total_tokens"] == tokens([used])
    # Its maker is told how it is used, and it looks for a list of its own; its maker is the provider, too.
    assert all(name.endswith((".googleapis.com:443", ".githubusercontent.com:443")) for name in lab.models.leaving)
    lab.models.leaving.clear()


def test_it_does_not_go_with_a_proxy(lab: Lab) -> None:
    body = {"alias": "gemini-two", "agent_id": "gemini", "provider_id": "gemini", "api_key": KEY}
    answer = lab.api.post("/api/profiles", json={**body, "model": "m", "proxy_config": {"enabled": True}})
    assert (answer.status_code, answer.json()["code"]) == (400, "PROFILE_UNUSABLE"), answer.text
    assert lab.api.get("/api/profiles/gemini-two").status_code == 404
