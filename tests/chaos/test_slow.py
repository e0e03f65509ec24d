"""Many callers that ask nothing, or send or read too slowly, slow nobody else down, and do not last."""

from __future__ import annotations

import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, set_fields, webhook

from ..e2e.conftest import StartDaemon
from .crowds import call_times, crowd
from .figures import Figures, percentile

KINDS = ("silent", "dripped", "bodies", "unread")
FACTOR = 3.0
FLOOR = 0.05
"""Seconds: a busy machine takes that long for a call now and then, with or without a crowd."""
CLOSED_WITHIN = 30.0


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
        opened = found.said()["opened"]
        beside = call_times(daemon, "/webhook/called")
        over = found.said()
    after = call_times(daemon, "/webhook/called")
    without, slowed = (percentile(times, 0.99) for times in (before + after, beside))
    said = f"{without * 1000:.1f}/{slowed * 1000:.1f} ms"
    figures.note(**{f"p99 without/beside {count:,}": said, f"closed within ({count:,})": f"{over['seconds']:.1f} s"})
    if opened != count:
        figures.violate({"not opened": [count - opened]})
    if slowed > max(FACTOR * without, FLOOR):
        figures.violate({"p99": [said]})
    if over["left"] or over["seconds"] > CLOSED_WITHIN:
        figures.violate({"not closed in time": [over]})
