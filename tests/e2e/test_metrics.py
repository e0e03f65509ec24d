"""`/metrics` after real calls: what it counts, and whether Prometheus, the dashboard and the alert rules read it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

from .conftest import _factory
from .worker_processes import WORKERS

GRAFANA = Path(__file__).resolve().parents[2] / "examples" / "grafana"
SAMPLE = re.compile(r"^(jackfield_\w+?)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="([^"]*)"')
NAMED = re.compile(r"\bjackfield_\w+")
promtool = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(promtool is None, reason="promtool (Debian's package prometheus) is not installed")


class Samples:
    """What `/metrics` has told."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found = [
            (name, dict(LABEL.findall(labels)), float(value)) for name, labels, value in SAMPLE.findall(text)
        ]

    @property
    def names(self) -> set[str]:
        return {name for name, _, _ in self._found}

    def by(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Sums of the samples of a name, by some of their labels."""
        found: dict[tuple[str, ...], float] = {}
        for each, given, value in self._found:
            if each == name:
                key = tuple(given[label] for label in labels)
                found[key] = found.get(key, 0.0) + value
        return found


@pytest.fixture(scope="module", params=[(), WORKERS], ids=["one process", "workers"])
def daemon(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    for make in _factory(tmp_path_factory.mktemp("metrics")):
        settings = "[executions.metrics]\nworkflows = 1\n"
        yield make(settings, arguments=request.param)


@pytest.fixture(scope="module")
def called(daemon: Daemon) -> tuple[Samples, str]:
    """The samples after six calls, and the id of the workflow that was called first."""
    api, client = daemon.admin(), daemon.client()
    fine = webhook("fine", responseMode="lastNode")
    first = daemon.live(chain("fine", fine, set_fields("Set", a=1)), api)
    bad = webhook("bad", responseMode="lastNode")
    daemon.live(chain("bad", bad, node("Stop", "stopAndError", {"errorMessage": "no"})), api)
    guarded = webhook("guarded", authentication="basicAuth", username="u", password="p")
    daemon.live(chain("guarded", guarded, set_fields("Set", a=1)), api)
    codes = [client.post(f"/webhook/{path}", json={}).status_code for path in ("fine", "fine", "fine")]
    codes += [client.post(f"/webhook/{path}", json={}).status_code for path in ("bad", "guarded", "none")]
    assert codes == [200, 200, 200, 500, 401, 404]

    def complete() -> Samples | None:
        found = Samples(client.get("/metrics").text)
        ended = sum(found.by("jackfield_executions_ended_total").values())
        answered = sum(found.by("jackfield_webhook_calls_total").values())
        lag = found.by("jackfield_event_loop_lag_seconds_count")
        return found if (ended, answered) == (4, 6) and lag else None

    return poll(complete, "all processes have told what they counted"), first


def test_executions_are_counted_by_workflow_mode_and_status(called: tuple[Samples, str]) -> None:
    """A worker whose first execution is the other workflow's keeps that one apart."""
    found, first = called
    ended = found.by("jackfield_executions_ended_total", "mode", "status")
    assert ended == {("webhook", "success"): 3, ("webhook", "failed"): 1}
    assert found.by("jackfield_execution_seconds_count", "mode", "status") == ended
    assert found.by("jackfield_executions_ended_total", "workflow").keys() >= {(first,)}


def test_further_workflows_are_one(daemon: Daemon, called: tuple[Samples, str]) -> None:
    found, first = called
    workflows = found.by("jackfield_executions_ended_total", "workflow")
    if "--workers" not in daemon.command():
        assert workflows == {(first,): 3, ("other",): 1}


def test_calls_are_counted_by_code(called: tuple[Samples, str]) -> None:
    found, _ = called
    assert found.by("jackfield_webhook_calls_total", "kind", "code") == {
        ("webhook", "200"): 3,
        ("webhook", "401"): 1,
        ("webhook", "404"): 1,
        ("webhook", "500"): 1,
    }
    assert found.by("jackfield_webhook_answer_seconds_count", "kind") == {("webhook",): 6}


def test_the_counters_of_webhooks_add_up(daemon: Daemon, called: tuple[Samples, str]) -> None:
    api, names = daemon.admin(), ("totalCalls", "successCalls", "failedCalls", "rejectedCalls")

    def counters() -> dict[str, list[int]]:
        rows = api.get("/webhooks", params={"stats": "true"}).json()["data"]
        return {row["path"]: [row["stats"][name] for name in names] for row in rows}

    wanted = {"/fine": [3, 3, 0, 0], "/bad": [1, 0, 1, 0], "/guarded": [1, 0, 0, 1]}
    poll(lambda: counters() == wanted, "every call is one of the three", timeout=5)
    found = api.get("/executions/stats").json()
    assert (found["total"], found["success"], found["failed"]) == (4, 3, 1)


def test_node_runs_are_timed_by_type(called: tuple[Samples, str]) -> None:
    found, _ = called
    assert found.by("jackfield_node_seconds_count", "type", "status") == {
        ("set", "success"): 3,
        ("stopAndError", "failed"): 1,
    }


def test_the_store_is_timed(called: tuple[Samples, str]) -> None:
    found, _ = called
    commits = found.by("jackfield_store_commit_seconds_count")[()]
    assert commits == found.by("jackfield_store_write_seconds_count")[()] >= 4
    took, until = (found.by(f"jackfield_store_{name}_seconds_sum")[()] for name in ("commit", "write"))
    assert 0 < took <= until
    assert found.by("jackfield_store_failures_total") == {(): 0}


def test_what_dashboard_and_rules_name_exists(called: tuple[Samples, str]) -> None:
    found, _ = called
    dashboard = json.loads((GRAFANA / "dashboard.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    texts = [*asked, *(variable["query"] for variable in dashboard["templating"]["list"][1:])]
    named = set(NAMED.findall(json.dumps(texts)))
    rules = set(NAMED.findall((GRAFANA / "alerts.yaml").read_text()))
    assert len(asked) > 25
    assert len(rules) > 8
    assert (named | rules) - found.names == set()


@needs_promtool
def test_prometheus_reads_the_samples(called: tuple[Samples, str]) -> None:
    told = run("check", "metrics", given=called[0].text)
    assert told == ""


@needs_promtool
def test_the_rules_alert_as_they_say() -> None:
    assert "12 rules found" in run("check", "rules", str(GRAFANA / "alerts.yaml"))
    assert "SUCCESS" in run("test", "rules", str(GRAFANA / "alerts.test.yaml"))


def run(*arguments: str, given: str = "") -> str:
    """What promtool says; it must not fail."""
    assert promtool is not None
    done = subprocess.run([promtool, *arguments], input=given, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
