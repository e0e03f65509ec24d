"""Many callers that ask nothing, or send or read too slowly, slow nobody else down, and do not last."""

from __future__ import annotations

import time

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook

from ..e2e.conftest import StartDaemon
from .crowds import call_times, crowd, metric
from .figures import Figures, percentile

KINDS = ("silent", "dripped", "bodies", "unread")
FACTOR = 3.0
FLOOR = 0.05
"""Seconds: a busy machine takes that long for a call now and then, with or without a crowd."""
CLOSED_WITHIN = 30.0
MEANWHILE = 6.0
"""Seconds for which calls are measured: before the first of the connections is over."""
FEW = 8
"""Connections of our own that may still be closing."""
BURST = 60.0
"""Seconds in which what the connections sent at first is dealt with; calls are measured beside them from then on."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.scenario("slow", 2000)
def test_slow(new_daemon: StartDaemon, figures: Figures, kind: str) -> None:
    """A quarter of the connections, then all."""
    figures.scenario, figures.unit = f"slow, {kind}", "connections"
    daemon = new_daemon()
    daemon.live(chain("called", webhook("called"), set_fields("Set", n="={{ $json.body.n }}")))
    daemon.live(chain("slow", webhook("slow"), set_fields("Set", n=1)))
    call_times(daemon, "/webhook/called")  # the first calls load what a call needs
    for count in (figures.count // 4, figures.count):
        beside_crowd(daemon, figures, kind, count)
    assert daemon.stop() == 0
    figures.check()


def beside_crowd(daemon: Daemon, figures: Figures, kind: str, count: int) -> None:
    before = call_times(daemon, "/webhook/called")
    with crowd(daemon, count, kind) as found:
        opened, begun = found.said()["opened"], time.monotonic()
        settled(daemon, opened)
        beside = call_times(daemon, "/webhook/called", MEANWHILE)
        ending = until_gone(daemon)
        seconds = time.monotonic() - begun
    after = call_times(daemon, "/webhook/called")
    without, slowed = (percentile(times, 0.99) for times in (before + after, beside))
    said = f"{without * 1000:.1f}/{slowed * 1000:.1f} ms"
    figures.note(**{f"p99 without/beside {count:,}": said, f"closed within ({count:,})": f"{seconds:.1f} s"})
    if opened != count:
        figures.violate({"not opened": [count - opened]})
    if slowed > max(FACTOR * without, FLOOR):
        figures.violate({"p99": [said]})
    figures.note(**{f"longest call while they end ({count:,})": f"{max(ending) * 1000:.0f} ms"})
    if seconds > CLOSED_WITHIN:
        figures.violate({"not closed in time": [f"{metric(daemon, 'connections{'):g} are left after {seconds:.1f} s"]})


def settled(daemon: Daemon, count: int) -> None:
    """All connections are accepted, and what they asked for is answered."""
    poll(lambda: metric(daemon, "connections{") >= count, "the connections are accepted", timeout=BURST)

    def quiet() -> bool:
        before = metric(daemon, "http_requests_total{")
        time.sleep(0.3)
        return metric(daemon, "http_requests_total{") - before <= 1

    poll(quiet, "their requests are answered", timeout=BURST)


def until_gone(daemon: Daemon) -> list[float]:
    """Seconds of calls until the daemon has closed them all, of which not every caller hears."""
    deadline, took = time.monotonic() + 2 * CLOSED_WITHIN, [0.0]
    while metric(daemon, "connections{") > FEW and time.monotonic() < deadline:
        took += call_times(daemon, "/webhook/called", 0.2)
    return took
