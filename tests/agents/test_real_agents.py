"""Agents as npm installs them: found, run headless against a model server of ours, and their usage read from the logs
that they write."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from agents_lab import KEY, PACKAGES, PREFIX, PROGRAMS, Lab, contents, said, tokens
from model_streams import Call, Reply, Used

from jackfield.testing.daemon import Daemon

ANSWER = 'It is 42.\n\nNot 41 - "really"; naïve \u2603.'
PROMPT = "--what is the answer? $HOME `id`"


@dataclass(frozen=True)
class Case:
    """writes: whether the API tells cache writes."""

    agent: str
    provider: str
    path: str
    writes: bool = False

    @property
    def alias(self) -> str:
        return f"{self.agent}-{self.provider}"


CASES = [
    Case("claude", "messages", "/v1/messages", writes=True),
    Case("codex", "completions", "/v1/responses", writes=True),
    Case("opencode", "messages", "/v1/messages", writes=True),
    Case("opencode", "completions", "/v1/chat/completions"),
    Case("opencode", "responses", "/v1/responses", writes=True),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.alias)


def used(case: Case, number: int = 1) -> Used:
    written = 70 * number if case.writes else 0
    thought = 0 if case.path == "/v1/messages" else 20
    return Used(fresh=1000 + number, output=50 + number, cached=300 + number, written=written, reasoning=thought)


def test_they_are_detected_with_version_and_path(lab: Lab) -> None:
    before = contents(lab.home)
    found = {agent["id"]: agent for agent in lab.data(lab.api.get("/api/agents"))}
    for agent, package in PACKAGES.items():
        installed = json.loads((Path(PREFIX) / "node_modules" / package / "package.json").read_text())
        told = found[agent]
        assert (told["installed"], told["version"]) == (True, installed["version"])
        assert told["binary_path"] == str(PROGRAMS / agent)
    assert contents(lab.home) == before


@every_case
def test_a_prompt_is_answered_and_its_usage_counted_once(case: Case, lab: Lab, other: Daemon) -> None:
    before = contents(lab.home)
    lab.profile(case.alias, case.agent, case.provider)
    lab.models.replies = [Reply(ANSWER, used=used(case))]
    run = lab.run(case.alias, PROMPT)
    assert (run["exit_code"], run["timed_out"], run.get("result")) == (0, False, ANSWER), run
    assert run["session"]
    [served] = lab.models.served
    assert (served.path, served.key, served.body["model"]) == (case.path, KEY, f"model-{case.alias}")
    assert any(PROMPT in text for text in said(served.body))
    assert lab.models.asides == []  # or their tokens would be in no log
    expected = tokens([served.used])
    assert run["usage"]["tokens"] == expected
    assert run["usage"]["models"] == [f"model-{case.alias}"]

    counted = lab.usage(case.alias)
    assert (counted["total_tokens"], counted["total_sessions"]) == (expected, 1)
    [answer] = lab.data(lab.api.get("/api/usage/answers", params={"profile": case.alias}))["rows"]
    assert (answer["response_id"] or "none").partition("_")[0] == ("resp" if case.agent == "codex" else "none")
    again = {"agent": case.agent, "agent_dir": str(lab.log(case.alias, case.agent))}
    assert "0 tokens" in lab.data(lab.api.post("/api/usage/import-agent", params=again))
    assert lab.usage(case.alias)["total_tokens"] == expected
    # Another daemon knows nothing but the log.
    api = other.client()
    lab.data(api.post("/api/usage/import-agent", params=again))
    alone = {"period": "all", "agent": case.agent, "model": f"model-{case.alias}"}
    assert lab.data(api.get("/api/usage", params=alone))["total_tokens"] == expected
    assert contents(lab.home) == before


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    place = tmp_path_factory.mktemp("other")
    daemon = Daemon(place, env={"HOME": str(place)})
    try:
        yield daemon.start()
    finally:
        daemon.close()


READING = {
    "claude": lambda path: Call("Read", {"file_path": path}),
    "codex": lambda path: Call("exec_command", {"cmd": f"cat '{path}'"}),
    "opencode": lambda path: Call("read", {"filePath": path}),
}
"""How each is told to read a file."""


@pytest.mark.parametrize("case", [CASES[0], CASES[1], CASES[3]], ids=lambda case: case.alias)
def test_a_tool_is_used_and_both_answers_are_counted(case: Case, lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("the word is cormorant\n")
    alias = f"{case.agent}-tools"
    # Codex's own sandbox needs a kernel that lets it make namespaces, which containers mostly do not.
    args = ["--sandbox", "danger-full-access"] if case.agent == "codex" else []
    lab.profile(alias, case.agent, case.provider, working_dir=str(tmp_path), args=args)
    call = READING[case.agent](str(tmp_path / "secret.txt"))
    lab.models.replies = [
        Reply("I shall look.", [call], used(case, 1)), Reply("It is cormorant.", used=used(case, 2))
    ]  # fmt: skip
    run = lab.run(alias, "What is the word in secret.txt?")
    assert (run["exit_code"], run.get("result")) == (0, "It is cormorant."), run
    asked, told = lab.models.served
    assert not any("the word is cormorant" in text for text in said(asked.body))
    assert any("the word is cormorant" in text for text in said(told.body))
    expected = tokens([asked.used, told.used])
    assert run["usage"]["tokens"] == expected
    assert lab.usage(alias)["total_tokens"] == expected


@pytest.mark.parametrize("case", [CASES[0], CASES[1], CASES[3]], ids=lambda case: case.alias)
def test_runs_of_one_profile_at_once_are_counted_each_for_itself(case: Case, lab: Lab) -> None:
    alias = f"{case.agent}-twice"
    lab.profile(alias, case.agent, case.provider)
    # Agents set their homes up when they are first started; two that do so at once may stand in each other's way.
    lab.models.replies = [Reply("Ready.", used=used(case, 3))]
    assert lab.run(alias, "about nothing").get("result") == "Ready."
    lab.models.replies = [Reply("It is one.", used=used(case, 1)), Reply("It is two.", used=used(case, 2))]
    lab.models.meeting = threading.Barrier(2)
    with ThreadPoolExecutor(2) as threads:
        runs = list(threads.map(lambda prompt: lab.run(alias, prompt), ("about cormorants", "about herons")))
    assert len({run.get("session") for run in runs}) == 2, runs
    for run in runs:
        assert (run["exit_code"], run["result"] in ("It is one.", "It is two.")) == (0, True), run
        [served] = [one for one in lab.models.served if one.reply.text == run["result"]]
        assert run["usage"]["tokens"] == tokens([served.used])
    assert lab.usage(alias)["total_tokens"] == tokens([served.used for served in lab.models.served])
    assert lab.usage(alias)["total_sessions"] == 3


@pytest.mark.parametrize("case", [CASES[0], CASES[1], CASES[3]], ids=lambda case: case.alias)
def test_a_refusal_ends_with_an_exit_code_and_its_reason(case: Case, lab: Lab) -> None:
    alias = f"{case.agent}-refused"
    lab.profile(alias, case.agent, case.provider)
    lab.models.refusal = "prompts about cormorants are refused"
    run = lab.run(alias, "Tell me about cormorants.")
    assert (run["exit_code"], run["timed_out"]) == (1, False), run
    assert lab.models.refusal in run["output"]
    assert run["usage"]["tokens"] == tokens([])
    assert KEY not in json.dumps(run)
