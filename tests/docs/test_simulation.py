"""`bench/simulate.py` keeps the laws that queues have, and compares with what was measured."""

from __future__ import annotations

import random
import statistics
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from simulate import PLAIN, compared, fitted, measured
from simulated_cluster import Cores, Costs, Disk, Events, Process, Setting, simulate

FREE = Costs(client_batch=0, client_write=0, server_batch=0, server_write=0, flush=0, load=0, spread=0)
"""Nothing but the daemon costs anything."""
STEADY = Costs(work=0.9, writes=4, spread=0)
ROWS = """
|  | executions/s | p50 ms | daemons, ms of the processor each | PostgreSQL | load | cores busy | failed |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 1 daemon, 0.9 ms of work | 400 | 160.0 | 2.30 | 0.30 | 0.10 | 1.08 | 0 |
| 2 daemons, 0.9 ms of work | {two} | 90.0 | 2.35 | 0.35 | 0.10 | 2.00 | 0 |
"""


def test_a_daemon_is_busy_for_its_rate_times_its_time() -> None:
    """Utilisation law, with demands that are known: 500/s of 0.8 ms."""
    found = simulate(FREE, Setting(arrivals=500, calls=5_000))
    assert found.busiest == pytest.approx(0.5 * 0.8, rel=0.05)
    assert found.daemons == pytest.approx(0.8, rel=0.01)


@pytest.mark.parametrize("setting", [Setting(arrivals=300, calls=4_000), Setting(daemons=2, cores=2, calls=4_000)])
def test_calls_under_way_are_the_rate_times_their_time(setting: Setting) -> None:
    """Little's law: one side is counted by time, the other by calls."""
    found = simulate(replace(Costs(), spread=1), setting)
    assert found.open == pytest.approx(found.rate * found.latency / 1000, rel=0.05)
    if not setting.arrivals:
        assert found.open == pytest.approx(setting.in_flight)


def test_a_queue_of_random_times_waits_as_mm1_does() -> None:
    """Half busy, 1 ms each: 1 / (1 - 0.5) ms in all."""
    events, draw, took = Events(), random.Random(7), list[float]()
    process = Process(events, Cores(1), lambda ms: ms * draw.expovariate(1))

    def arrive() -> None:
        begun = events.now
        process.do(1.0, lambda: took.append(events.now - begun))
        events.after(draw.expovariate(0.5), arrive)

    arrive()
    events.run(lambda: len(took) >= 40_000)
    assert statistics.fmean(took) == pytest.approx(2.0, rel=0.05)


def test_one_call_at_a_time_takes_the_sum_of_its_costs() -> None:
    one = simulate(STEADY, Setting(in_flight=1, calls=200))
    commit = STEADY.client_batch + STEADY.client_write + STEADY.server_batch + STEADY.server_write + STEADY.flush
    whole = STEADY.load + STEADY.call + STEADY.execution + STEADY.work + STEADY.writes * commit
    assert one.latency == pytest.approx(whole)
    assert one.batch == pytest.approx(1)


def test_a_daemon_takes_no_more_than_its_core_and_two_take_twice_as_much() -> None:
    one, two = (simulate(STEADY, Setting(daemons=n, in_flight=64 * n)) for n in (1, 2))
    least = STEADY.call + STEADY.execution + STEADY.work + STEADY.writes * STEADY.client_write
    assert 1000 / (least * 1.3) < one.rate < 1000 / least
    assert one.batch > 10  # writes share commits under load
    assert two.rate == pytest.approx(2 * one.rate, rel=0.02)


def test_daemons_that_share_cores_take_no_more_than_these() -> None:
    shared = [simulate(STEADY, Setting(daemons=n, cores=2, calls=3_000)) for n in (1, 2, 4)]
    for found in shared:
        assert found.rate * (found.daemons + found.postgres + found.load) <= 2_000 * 1.01
    assert shared[0].rate < shared[1].rate
    assert shared[2].rate <= shared[1].rate * 1.02  # the two cores are all there is


def test_a_flush_serves_all_that_wait() -> None:
    events, ended = Events(), list[float]()
    disk = Disk(events, 5.0)
    for moment in (0.0, 1.0, 4.0):
        events.after(moment, lambda: disk.flush(lambda: ended.append(events.now)))
    events.run(lambda: False)
    assert ended == [5.0, 10.0, 10.0]


def test_what_finds_no_room_waits_in_the_store_and_is_answered() -> None:
    found = simulate(STEADY, Setting(in_flight=10, slots=1, queue=1, calls=300))
    assert found.overflowed > 0
    assert found.open == pytest.approx(10)


def test_the_same_seed_gives_the_same() -> None:
    setting = Setting(daemons=2, arrivals=400, calls=500)
    assert simulate(Costs(), setting) == simulate(Costs(), setting)
    assert simulate(Costs(), setting) != simulate(Costs(), replace(setting, seed=2))


def test_costs_are_fitted_to_what_one_daemon_took() -> None:
    one = measured(ROWS.format(two=720))[1]
    found = simulate(fitted(Costs(work=0.9, writes=4), one), Setting(cores=2))
    assert found.daemons == pytest.approx(one.daemons, rel=0.05)
    assert found.postgres == pytest.approx(one.postgres, rel=0.05)
    assert found.load == pytest.approx(one.client, rel=0.05)


def test_a_measured_rate_that_is_far_off_fails() -> None:
    near, far = (measured(ROWS.format(two=rate)) for rate in (720, 400))
    costs = fitted(Costs(work=0.9, writes=4), near[1])
    assert [row[-1] for row in compared(costs, near)] == ["pass", "pass"]
    assert [row[-1] for row in compared(costs, far)] == ["pass", "**fail**"]
    assert measured("nothing of it") == {}


def test_plain_webhooks_write_once() -> None:
    found = simulate(PLAIN.of(Costs()), Setting(arrivals=100, calls=400))
    assert found.batch < 2
