"""What must hold of three daemons' calls: every acknowledged one is followed to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .effects import STEPS
from .figures import Figures
from .fleet import SUB, Fleet
from .ledger import Effect, judge
from .load import PAGE, execution_of

ONCE = {"Mark", "Wait", "Again", "Call", "End", *STEPS}
"""Nodes that a successful execution has run once, by its history."""


def reruns(effects: Iterable[Effect], victims: Mapping[str, int]) -> tuple[int, list[str]]:
    """How often a node's effect happened again, and executions in which that was more often than something befell the
    daemon that ran them."""
    times = Counter((effect.execution, effect.step) for effect in effects)
    again: Counter[str] = Counter()
    for (execution, _), count in times.items():
        again[execution] += count - 1
    return again.total(), [one for one, count in again.items() if count > victims.get(one, 0)]


def duplicates(runs: Iterable[Mapping[str, Any]]) -> list[str]:  # Any: JSON of the API
    """Successful executions whose history has not each node once."""
    return [
        run["id"]
        for run in runs
        if run["status"] == "success" and not all(len(run["nodes"].get(name, ())) == 1 for name in ONCE)
    ]


def histories(fleet: Fleet) -> list[dict[str, Any]]:  # Any: JSON of the API
    api = fleet.daemons[0].admin()
    found: list[dict[str, Any]] = []
    offset = 0
    while True:
        asked = {"workflowId": fleet.workflow, "limit": PAGE, "offset": offset}
        rows = api.get("/executions", params=asked).raise_for_status().json()["data"]
        found += [api.get(f"/executions/{row['id']}").raise_for_status().json() for row in rows]
        if len(rows) < PAGE:
            return found
        offset += PAGE


def check(fleet: Fleet, figures: Figures) -> None:
    """After everything has come to rest."""
    runs = histories(fleet)
    seen = list(fleet.effects.seen)
    own = [effect for effect in seen if effect.step in STEPS]
    told = judge(fleet.book.answered, [execution_of(run) for run in runs], own, (STEPS[0], STEPS[1]))
    called = {effect.marker for effect in seen if effect.step == SUB}
    ended = {execution_of(run).marker for run in runs if run["status"] == "success"}
    again, too_often = reruns(seen, fleet.victims)
    figures.violate(told.violations())
    figures.violate(
        {
            "no effect of the sub-workflow": sorted(ended - called),
            "duplicate checkpoints": duplicates(runs),
            "ran again without a reason": too_often,
            "open at the end": ["executions"] * fleet.unended(),
            "lost a lease without a reason": leases(fleet),
            "refused": [one for one in fleet.book.refused if not one.startswith("503")],
            "errors in a log": errors(fleet),
        }
    )
    figures.note(
        acknowledged=len(fleet.book.answered), sent_again=fleet.book.sent_again, lost=len(told.lost),
        stuck=len(told.stuck), in_flight_on_victims=fleet.victims.total(), effects_again=again,
        given_up_after_nodes_ran=len(told.given_up_running),
    )  # fmt: skip
    figures.check()


def leases(fleet: Fleet) -> Sequence[str]:
    """Daemons that were taken over, or began anew, more often than faults explain."""
    lives = fleet.run("SELECT daemon, count(*) FROM incarnations GROUP BY daemon")
    return [f"{name}: {count} lives" for name, count in lives if int(str(count)) > 1 + fleet.lost[str(name)]]


def errors(fleet: Fleet) -> list[str]:
    """Tracebacks: a fault of surroundings has a message of its own."""
    return [daemon.directory.name for daemon in fleet.daemons if "Traceback" in daemon.tail(1_000_000)]
