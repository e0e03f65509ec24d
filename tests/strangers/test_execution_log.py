"""A stranger's telemetry sink: it is told of executions, and a sink that never ends holds nothing."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node
from jackfield.testing.pytest_plugin import StartDaemon

Strangers = Callable[..., Daemon]
STUBBORN = """
import asyncio
import time

from jackfield.api.plugin import Plugin, hookimpl
from jackfield.api.telemetry import ExecutionEnded


class Stubborn:
    name = "stubborn"
    takes = (ExecutionEnded,)

    async def take(self, batch):
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                pass

    async def close(self):
        await self.take([])


class StubbornPlugin(Plugin):
    name = "stubborn"

    @hookimpl
    def jackfield_telemetry_sinks(self):
        return [Stubborn()]

    async def stop(self):
        await Stubborn().take([])
"""


def lines(daemon: Daemon) -> list[dict[str, object]]:
    path = daemon.config_dir / "execution-log.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def called(daemon: Daemon, path: str, *, fails: bool = False) -> None:
    """A live webhook, called once."""
    hook = node("Hook", "webhook", {"path": path, "httpMethod": "GET", "responseMode": "lastNode"})
    end = node("End", "stopAndError", {"errorMessage": "no"}) if fails else node("End", "noOp")
    daemon.live(chain(path, hook, end))
    assert daemon.client().get(f"/webhook/{path}").status_code == (500 if fails else 200)


def test_executions_are_lines_of_a_file(strangers: Strangers) -> None:
    daemon = strangers("execution-log")
    called(daemon, "good")
    called(daemon, "bad", fails=True)
    poll(lambda: len(lines(daemon)) == 4, "the lines are written")
    ended = {line["workflow_name"]: line for line in lines(daemon) if line["type"] == "ExecutionEnded"}
    assert {name: line["status"] for name, line in ended.items()} == {"good": "success", "bad": "failed"}
    for line in ended.values():
        assert line["mode"] == "webhook"
        assert isinstance(line["duration_ms"], int)
    started = {line["execution_id"] for line in lines(daemon) if line["type"] == "ExecutionStarted"}
    assert started == {line["execution_id"] for line in ended.values()}
    metrics = daemon.admin().get(f"{daemon.base_url}/metrics").text
    assert 'jackfield_telemetry_sink_records_total{result="delivered",sink="execution_log"} 4' in _sorted(metrics)
    assert 'jackfield_telemetry_sink_records_total{result="dropped",sink="execution_log"} 0' in _sorted(metrics)


def test_the_stop_gives_a_sink_its_last_records(strangers: Strangers) -> None:
    daemon = strangers("execution-log")
    called(daemon, "last")
    assert daemon.stop() == 0
    assert [line["type"] for line in lines(daemon)] == ["ExecutionStarted", "ExecutionEnded"]


def test_a_sink_that_swallows_its_cancellation_holds_neither_calls_nor_the_stop(
    jackfield_daemon: StartDaemon, tmp_path: Path
) -> None:
    place = tmp_path / "stubborn"
    information = place / "stubborn-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: stubborn\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[jackfield]\nstubborn = stubborn:StubbornPlugin\n")
    (place / "stubborn.py").write_text(STUBBORN)
    path = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))
    settings = "[telemetry]\nsink_timeout = 0.5\n[plugins]\nstartup_timeout = 3\n"
    daemon = jackfield_daemon(settings, {"PYTHONPATH": path})
    for number in range(3):
        called(daemon, f"call{number}")
    failed = 'jackfield_telemetry_sink_records_total{result="failed",sink="stubborn"}'
    metrics = f"{daemon.base_url}/metrics"
    poll(lambda: failed in _sorted(daemon.admin().get(metrics).text), "the batch has failed")
    start = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - start < 30
    assert "The telemetry sink stubborn failed" in str(daemon.logs())


def _sorted(metrics: str) -> str:
    """With the labels of each sample in order."""
    found = []
    for line in metrics.splitlines():
        name, brace, rest = line.partition("{")
        labels, _, value = rest.partition("} ")
        found.append(f"{name}{{{','.join(sorted(labels.split(',')))}}} {value}" if brace else line)
    return "\n".join(found)
