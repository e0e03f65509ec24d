"""Connections that ask nothing, or too slowly, keep nobody out, and do not last. The daemon has 1,024 files."""

from __future__ import annotations

import os
import time
from urllib.parse import urlsplit

import pytest

from jackfield.testing.daemon import Daemon, poll

from ..e2e.conftest import StartDaemon
from ..e2e.test_proxies import Lab, lab
from .crowds import call_times, crowd, metric
from .figures import Figures, percentile

__all__ = ["lab"]

CROWD = 1010
FILES = 1024
NOBODY = 65534
REQUESTS = 50
LIMITED = ("sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh")
CLOSED_WITHIN = 15.0
FLOOR = 0.1
"""Seconds: a busy machine takes that long for a call now and then, with or without a crowd."""
LOG_BYTES = 16 * 1024

needs_another_user = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program of another user")


def p99(daemon: Daemon) -> float:
    return percentile(call_times(daemon, "/health"), 0.99)


def log_size(daemon: Daemon) -> int:
    return sum(file.stat().st_size for file in (daemon.config_dir / "logs").glob("jackfield.log*"))


@pytest.mark.parametrize("user", [pytest.param(NOBODY, marks=needs_another_user), None])
@pytest.mark.parametrize("kind", ["silent", "dripped"])
@pytest.mark.scenario("crowds", CROWD)
def test_a_crowd_keeps_the_owner_not_out_and_does_not_last(
    new_daemon: StartDaemon, figures: Figures, user: int | None, kind: str
) -> None:
    figures.scenario = f"crowds, {kind}, " + ("own user" if user is None else "another user")
    figures.unit = f"connections to a daemon with {FILES:,} files"
    daemon = new_daemon(prefix=LIMITED)
    p99(daemon)  # the first calls load what a call needs
    before, logged = p99(daemon), log_size(daemon)
    with crowd(daemon, figures.count, kind, user=user) as found:
        assert found.said() == {"opened": figures.count}
        beside = p99(daemon)
        assert metric(daemon, "connections_displaced_total") > 0, "1,010 are more than anybody may have"
        over = found.said()
    figures.note(
        **{"p99 without/beside": f"{before * 1000:.1f}/{beside * 1000:.1f} ms", "closed within": f"{over['seconds']} s"}
    )
    assert beside <= max(3 * before, FLOOR)
    assert over["left"] == 0
    assert over["seconds"] <= CLOSED_WITHIN
    assert log_size(daemon) - logged <= LOG_BYTES
    assert metric(daemon, "connections_timed_out_total") > 0
    poll(lambda: metric(daemon, "connections{") <= 2, "the crowd is gone")
    assert daemon.stop() == 0


@pytest.mark.parametrize("user", [pytest.param(NOBODY, marks=needs_another_user), None])
@pytest.mark.scenario("crowds", CROWD)
def test_a_daemon_starts_in_a_crowd(new_daemon: StartDaemon, user: int | None) -> None:
    daemon = new_daemon(prefix=LIMITED, start=False)
    with crowd(daemon, CROWD, "silent", user=user) as found:
        daemon.start()
        assert found.said() == {"opened": CROWD}
        assert daemon.client().get("/api/plugins").status_code == 200, "the management API is there"
        assert daemon.running
    assert daemon.stop() == 0


@pytest.mark.parametrize("user", [pytest.param(NOBODY, marks=needs_another_user), None])
@pytest.mark.parametrize("kind", ["silent", "dripped"])
@pytest.mark.scenario("crowds", CROWD)
def test_a_crowd_at_a_proxys_port(lab: Lab, figures: Figures, kind: str, user: int | None) -> None:
    figures.scenario = f"crowds, {kind}, " + ("own" if user is None else "another") + " user at a proxy's port"
    figures.unit = "connections"
    alias = lab.profile(f"{kind}-{user or 'own'}")
    lab.data(lab.api.post(f"/api/proxy/{alias}/start"))
    assert lab.ask(alias).status_code == 200
    port = urlsplit(lab.environment(alias)["ANTHROPIC_BASE_URL"]).port
    took = []
    with crowd(lab.daemon, figures.count, kind, user=user, port=port) as found:
        assert found.said() == {"opened": figures.count}
        for _ in range(REQUESTS):
            begun = time.perf_counter()
            assert lab.ask(alias).status_code == 200, "the owner is served"
            took.append(time.perf_counter() - begun)
        over = found.said()
    figures.times("answer", took)
    figures.note(closed_within=f"{over['seconds']} s")
    assert over["left"] == 0
    assert over["seconds"] <= CLOSED_WITHIN


@pytest.mark.scenario("descriptors", 128)
def test_as_few_files_as_can_be_are_enough_to_answer(new_daemon: StartDaemon, figures: Figures) -> None:
    figures.unit = "open files (`ulimit -n`), 300 silent connections"
    daemon = new_daemon(prefix=("sh", "-c", f'ulimit -n {figures.count}; exec "$@"', "sh"))
    with crowd(daemon, 300, "silent") as found:
        assert found.said() == {"opened": 300}
        figures.times("answer", call_times(daemon, "/health"))
        assert daemon.admin().get("/workflows").status_code == 200, "the store has its files"
    figures.check()
    assert daemon.stop() == 0
