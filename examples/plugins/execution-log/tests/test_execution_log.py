"""Units of the plugin, with the fixtures that Jackfield brings for pytest."""

from __future__ import annotations

import json
from pathlib import Path

from jackfield.api.telemetry import Cost, ExecutionEnded, ProxiedRequest, RunEnded, RunUsage, Tokens
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_execution_log.settings import ExecutionLogSettings
from jackfield_execution_log.sink import JsonLines, sinks


async def test_each_record_is_a_line(tmp_path: Path) -> None:
    sink = JsonLines(tmp_path / "log.jsonl")
    await sink.take([ExecutionEnded("e1", "w1", "Triage", "webhook", "failed", 1000, 1250)])
    usage = RunUsage(Tokens(10, 5), Cost(0.25))
    await sink.take(
        [
            RunEnded("r1", "mine", "claude", "acme", "m-one", "profile_run", 1, 2, 0, usage),
            ProxiedRequest("q1", "mine", "acme", "m-one", "best", 200, 2, 40, tokens=Tokens(1, 2), cost=0.5),
        ]
    )
    await sink.close()
    ended, run, request = (json.loads(line) for line in sink.path.read_text().splitlines())
    assert (ended["type"], ended["status"], ended["duration_ms"]) == ("ExecutionEnded", "failed", 250)
    assert (run["profile"], run["usage"]["total"], run["cost"]) == ("mine", 15, 0.25)
    assert (request["status"], request["tokens"], request["cost"]) == (200, {"input": 1, "output": 2, "total": 3}, 0.5)
    assert sink.path.stat().st_mode & 0o777 == 0o600


def test_the_file_is_in_the_configuration_directory_unless_told(jackfield_context: MakeContext, tmp_path: Path) -> None:
    (sink,) = sinks(jackfield_context())
    assert isinstance(sink, JsonLines)
    assert sink.path == tmp_path / "execution-log.jsonl"
    (sink,) = sinks(jackfield_context(ExecutionLogSettings(path="/elsewhere/log")))
    assert isinstance(sink, JsonLines)
    assert sink.path == Path("/elsewhere/log")
