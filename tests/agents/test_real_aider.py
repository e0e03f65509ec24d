"""Aider as pip installs it, against the model server, and the usage in the log that its profile has it write."""

from __future__ import annotations

import pytest
from agents_lab import KEY, PROGRAMS, Lab, tokens
from model_streams import Reply, Used

pytestmark = pytest.mark.skipif(not (PROGRAMS / "aider").exists(), reason="there is no aider beside the agents")


def test_an_answer_and_its_usage(lab: Lab) -> None:
    lab.profile("aider-one", "aider", "completions", args=["--no-git", "--no-show-model-warnings"])
    lab.models.plain = Reply("It is 42.", used=Used(fresh=1000, output=50))
    run = lab.run("aider-one", "What is the answer?")
    assert (run["exit_code"], run["timed_out"]) == (0, False), run
    assert "It is 42." in run["result"]
    assert [one.key for one in lab.models.asides] == [KEY]
    assert run["usage"]["tokens"] == tokens([lab.models.plain.used])
    assert run["usage"]["models"] == ["model-aider-one"]
    assert all("githubusercontent.com" in name for name in lab.models.leaving)
    lab.models.leaving.clear()  # a list of prices, once a day, which nothing stops
