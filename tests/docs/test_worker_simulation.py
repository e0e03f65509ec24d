"""`bench/simulated_workers.py` keeps the laws that queues have."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from simulated_workers import IN_FLIGHT, WorkerCosts, simulate_workers

COSTS = WorkerCosts(worker=1.0, writes=1, handed=0.05, commit=0.3, write=0.1, flush=0.5)
NEAR = 0.05


def test_the_same_seed_gives_the_same_outcome() -> None:
    assert simulate_workers(COSTS, 2) == simulate_workers(COSTS, 2)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_workers_that_share_nothing_busy_do_as_much_as_their_cores(count: int) -> None:
    found = simulate_workers(COSTS, count)
    assert found.rate == pytest.approx(1000 * count / COSTS.worker, rel=NEAR)
    assert found.workers == pytest.approx(1.0, abs=NEAR)
    assert found.first_loop == pytest.approx(found.rate / 1000 * COSTS.handed, rel=NEAR), "what it takes of each call"


def test_work_in_nodes_is_the_workers_alone() -> None:
    found = simulate_workers(COSTS.with_work(3.0), 2)
    assert found.rate == pytest.approx(1000 * 2 / 4.0, rel=NEAR)


def test_the_writing_thread_bounds_all() -> None:
    costs = replace(COSTS, write=2.0)
    found = simulate_workers(costs, 16)
    assert found.rate <= 1000 / costs.write
    assert found.writer > 0.9
    assert found.workers < 0.1
    assert 1 < found.batch <= 16 * IN_FLIGHT


def test_batches_grow_with_what_waits() -> None:
    alone, several = simulate_workers(COSTS, 1), simulate_workers(COSTS, 8)
    assert several.batch > alone.batch
    spent = COSTS.commit / several.batch + COSTS.write
    assert several.writer == pytest.approx(several.rate / 1000 * spent, rel=NEAR), "a commit's share, and the write"


def test_two_writes_of_a_call_are_one_call() -> None:
    found = simulate_workers(replace(COSTS, writes=2), 2)
    assert found.rate == pytest.approx(1000 * 2 / COSTS.worker, rel=NEAR)
