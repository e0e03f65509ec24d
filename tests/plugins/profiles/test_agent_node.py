"""The node that puts a coding agent to work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.profiles import HeadlessRequest, HeadlessResult
from jackfield.api.telemetry import Cost, RunUsage, Tokens
from jackfield.api.workflows import Items
from jackfield.testing.context import FakeContext
from jackfield.testing.node_runs import FakeNodeRun, items
from jackfield_profiles.agent_node import CodingAgentNode, parsed_answer
from jackfield_profiles.running_settings import RunSettings

GOOD = HeadlessResult(exit_code=0, output="raw", errors="", timed_out=False, duration_ms=12, result="fine", session="s")


class Profiles:
    def __init__(self, *results: HeadlessResult | Exception) -> None:
        self.results = list(results)
        self.asked: list[tuple[str, HeadlessRequest]] = []

    async def run(self, alias: str, request: HeadlessRequest) -> HeadlessResult:
        self.asked.append((alias, request))
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


async def ran(
    tmp_path: Path, profiles: Profiles, parameters: Mapping[str, Json], given: Items, **settings: Any
) -> Items:
    kind = CodingAgentNode(FakeContext(tmp_path, ports={"Profiles": profiles}))
    outputs: Any = await kind.execute(FakeNodeRun(kind, lambda item: {**parameters, **item["json"]}, given, **settings))
    return list(outputs[0])


async def test_each_item_is_a_run(tmp_path: Path) -> None:
    used = RunUsage(Tokens(input=1, output=2), Cost(input=0.25), models=("m",))
    profiles = Profiles(GOOD, HeadlessResult(0, "only output\n", "", False, 5, usage=used))
    parameters: dict[str, Json] = {
        "profile": "p", "args": ["-v"], "timeout": "30", "workingDirectory": "/src", "outputFormat": "text"
    }  # fmt: skip
    made = await ran(tmp_path, profiles, parameters, items({"prompt": "one"}, {"prompt": "two"}))
    assert made[0] == {
        "json": {"result": "fine", "exitCode": 0, "session": "s", "usage": None, "durationMs": 12},
        "pairedItem": {"item": 0},
    }
    assert made[1]["json"]["result"] == "only output"
    assert made[1]["json"]["usage"]["tokens"]["output_tokens"] == 2
    key = '["e1","agent",0,0]'
    request = HeadlessRequest(
        prompt="one", args=("-v",), timeout=30, working_dir="/src", kind="workflow", key=key, execution_id="e1", depth=1
    )
    assert profiles.asked[0] == ("p", request)


@pytest.mark.parametrize(
    "answer",
    [
        '{"a": [1]}',
        ' \n{"a": [1]}\n',
        'Here:\n```json\n{"a": [1]}\n```\nDone.',
        '```\n{"a": [1]}\n```',
        '```js\nx\n```\n```json\n{"a": [1]}```',
    ],
)
def test_json_is_found_in_an_answer(answer: str) -> None:
    assert parsed_answer(answer) == {"a": [1]}


async def test_an_answer_that_is_not_json_fails(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match="not JSON"):
        await ran(tmp_path, Profiles(GOOD), {"profile": "p", "prompt": "x", "outputFormat": "json"}, items({}))
    good = HeadlessResult(0, "", "", False, 1, result='{"label": "bug"}')
    made = await ran(tmp_path, Profiles(good), {"profile": "p", "prompt": "x", "outputFormat": "json"}, items({}))
    assert made[0]["json"]["data"] == {"label": "bug"}


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (HeadlessResult(3, "out", "a\nb\n", False, 1), r"ended with 3: a\nb$"),
        (HeadlessResult(1, "x\n" * 20, "", False, 1), r"ended with 1: (x\n){4}x$"),
        (HeadlessResult(143, "", "", True, 1), "not end in time"),
        (NotFound("There is no profile p."), "no profile p"),
    ],
)
async def test_a_run_that_fails_fails_the_node(tmp_path: Path, result: Any, told: str) -> None:
    parameters: dict[str, Json] = {"profile": "p", "prompt": "x"}
    with pytest.raises(NodeError, match=told) as caught:
        await ran(tmp_path, Profiles(GOOD, result), parameters, items({}, {}))
    assert caught.value.item == 1
    made = await ran(tmp_path, Profiles(result, GOOD), parameters, items({}, {}), on_error="continueRegularOutput")
    assert "error" in made[0]["json"]
    assert made[1]["json"]["result"] == "fine"


async def test_nothing_to_do_is_told(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match="prompt is empty"):
        await ran(tmp_path, Profiles(), {"profile": "p", "prompt": ""}, items({}))


async def test_the_least_sandbox_of_workflows_is_asked_for(tmp_path: Path) -> None:
    profiles = Profiles(GOOD)
    context = FakeContext(tmp_path, tables=[RunSettings(workflow_sandbox="strict")], ports={"Profiles": profiles})
    kind = CodingAgentNode(context)
    await kind.execute(FakeNodeRun(kind, lambda _: {"profile": "p", "prompt": "x"}, items({})))
    assert profiles.asked[0][1].sandbox == "strict"
