"""The clock of the day jumps to and fro: executions, waits and schedules go on, and no moment is served twice."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

from ..e2e.conftest import StartDaemon
from .effects import Effects
from .figures import Figures
from .kills import PATIENCE
from .load import Load
from .test_disk import judge, with_faults

OFFSETS = tuple(sign * hours * 3600.0 for hours in (0.001, 0.02, 1, 11.9) for sign in (-1, 1))
"""Seconds; less than a day apart, for which deliveries and moments are remembered."""
WAIT = 1.0
WAITED = 15.0
"""Seconds in which a wait of one second is over, on a machine with other work."""


@pytest.mark.scenario("clock", 20)
def test_clock(new_daemon: StartDaemon, effects: Effects, figures: Figures, seed: int, tmp_path: Path) -> None:
    figures.unit = "steps of the clock, up to 23.8 h"
    chance = random.Random(seed)
    lives, faults = with_faults(new_daemon, effects, tmp_path)
    daemon = lives.daemon
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": WAIT, "unit": "seconds"}, version=1.1)
    daemon.live(chain("waits", webhook("waits", responseMode="lastNode"), wait))
    ticking = daemon.live(ticks(effects.url))
    waits = []
    for _ in range(figures.count):
        with Load(daemon, lives.book) as load:
            poll(lambda load=load: load.answers >= 3, "calls are answered", timeout=PATIENCE)
            begun = time.monotonic()
            faults.clock(chance.choice(OFFSETS))
            if (status := waited(daemon)) != httpx.codes.OK:
                figures.violate({"wait": [status]})
            waits.append(time.monotonic() - begun)
    faults.end()
    api = daemon.admin()
    assert api.post(f"/workflows/{ticking}/deactivate").status_code == httpx.codes.OK
    lives.settle()
    judge(lives, figures)
    moments = Counter(effect.marker for effect in effects.seen if effect.step == "tick")
    figures.note(moments_of_a_schedule=len(moments))
    figures.violate({"moment served twice": [moment for moment, count in moments.items() if count > 1]})
    figures.violate({"wait too long": [seconds for seconds in waits if seconds > WAITED]})
    figures.times("wait of 1 s", waits)
    figures.check()


def waited(daemon: Daemon) -> int:
    answer = httpx.post(f"{daemon.base_url}/webhook/waits", json={}, trust_env=False, timeout=60)
    return answer.status_code


def ticks(url: str) -> dict[str, object]:
    """A schedule of every second, each of whose moments is an effect."""
    trigger = node("Tick", "scheduleTrigger", {"rule": {"interval": [{"field": "seconds", "secondsInterval": 1}]}},
                   version=1.2)  # fmt: skip
    mark = set_fields("Moment", at="={{ $json.timestamp }}")
    query = "marker={{ encodeURIComponent($json.at) }}&execution={{ $execution.id }}"
    effect = node("tick", "httpRequest", {"method": "GET", "url": f"={url}/tick?{query}", "options": {}}, version=4.2)
    return chain("ticks", trigger, mark, effect)
