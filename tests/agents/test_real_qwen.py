"""Qwen Code as npm installs it, against the model server: both dialects."""

from __future__ import annotations

import time

import pytest
from agents_lab import KEY, PROGRAMS, Lab, contents, said, tokens
from model_streams import Reply, Used

pytestmark = pytest.mark.skipif(not (PROGRAMS / "qwen").exists(), reason="npm has not installed Qwen Code")
ANSWER = 'It is 42.\n\nNot 41 - "really"; na\u00efve \u2603.'
PROMPT = "--what is the answer? $HOME `id`"


@pytest.mark.parametrize(("provider", "path"), [("completions", "/v1/chat/completions"), ("messages", "/v1/messages")])
def test_a_prompt_is_answered(lab: Lab, provider: str, path: str) -> None:
    deadline = time.monotonic() + 30  # on a busy machine it needs its second, longer try
    while not lab.data(lab.api.get("/api/agents/qwen"))["installed"]:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    before = contents(lab.home)
    alias = f"qwen-{provider}"
    lab.profile(alias, "qwen", provider)
    used = Used(fresh=1000, output=50, cached=300)
    # The second is for what it asks for behind its answer: what of it is worth being remembered.
    lab.models.replies = [Reply(ANSWER, used=used), Reply("Nothing.", used=used)]
    run = lab.run(alias, PROMPT)
    assert (run["exit_code"], run["timed_out"], run.get("result")) == (0, False, ANSWER), run
    assert run["session"]
    served = lab.models.served[0]
    assert (served.path, served.key, served.body["model"]) == (path, KEY, f"model-{alias}")
    assert any(PROMPT in text for text in said(served.body))
    lab.models.replies.clear()  # it does not always ask
    assert lab.usage(alias)["total_tokens"] == run["usage"]["tokens"] == tokens([one.used for one in lab.models.served])
    assert contents(lab.home) == before
