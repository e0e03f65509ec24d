"""What must hold of calls, however the daemon ended: judged from answers, executions and effects alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

OPEN = ("queued", "running", "waiting")
CRASHED = "the daemon ended unexpectedly"
"""In the error of an execution that the engine gave up after too many crashes."""


@dataclass(frozen=True)
class Execution:
    """One execution as the API shows it at the end. marker: of its call, from its last output; "" when it has none."""

    ident: str
    marker: str
    status: str
    error: str = ""


@dataclass(frozen=True)
class Effect:
    """One request of a node. at: seconds of a clock that only grows."""

    step: str
    marker: str
    execution: str
    at: float


@dataclass
class Verdict:
    """Markers per kind of violation; `repeated` and `given_up_running` are permitted and only counted."""

    lost: list[str] = field(default_factory=list)
    """Acknowledged, and there is no execution, or an effect of a successful one never happened."""
    started_twice: list[str] = field(default_factory=list)
    """Two executions of one call, or two answers that name different ones."""
    stuck: list[str] = field(default_factory=list)
    """Still open."""
    given_up: list[str] = field(default_factory=list)
    """Ended as failed without a single effect."""
    failed: list[str] = field(default_factory=list)
    """Ended otherwise than with success, and not because of crashes."""
    replayed: list[str] = field(default_factory=list)
    """A node ran again although the node behind it had begun."""
    given_up_running: list[str] = field(default_factory=list)
    repeated: int = 0

    def violations(self) -> dict[str, list[str]]:
        kinds = ("lost", "started_twice", "stuck", "given_up", "failed", "replayed")
        return {kind: found for kind in kinds if (found := getattr(self, kind))}


def judge(
    answered: Mapping[str, Sequence[str]],
    executions: Sequence[Execution],
    effects: Iterable[Effect],
    steps: tuple[str, str],
    retained: int | None = None,
) -> Verdict:
    """answered: the executions that answers named, per marker; steps: the names of the two effects, in order;
    retained: as many ended executions as retention keeps, so that others may be gone once their last effect is there.
    None: it deletes none."""
    found = Verdict()
    kept = {execution.ident: execution for execution in executions}
    known: dict[str, set[str]] = defaultdict(set)
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    ran: set[str] = set()
    for effect in effects:
        known[effect.marker].add(effect.execution)
        ran.add(effect.execution)
        times[effect.marker, effect.step].append(effect.at)
    for execution in executions:
        if execution.marker:
            known[execution.marker].add(execution.ident)
        _end(found, execution, execution.ident in ran)
    may_be_gone = retained is not None and len(executions) >= retained
    for marker, idents in answered.items():
        known[marker].update(idents)
        done = all(times[marker, step] for step in steps)
        present = kept.get(idents[0])
        if present is None:
            lost = not (may_be_gone and done)
        else:
            lost = present.status == "success" and not (done and present.marker == marker)
        if lost:
            found.lost.append(marker)
    found.started_twice = [marker for marker, idents in known.items() if len(idents) > 1]
    first, second = steps
    for marker in known:
        began, behind = times[marker, first], times[marker, second]
        if began and behind and max(began) > min(behind):
            found.replayed.append(marker)
        found.repeated += len(began) + len(behind) > len(steps)
    return found


def _end(found: Verdict, execution: Execution, ran: bool) -> None:
    """ran: an effect of this execution was seen."""
    name = execution.marker or execution.ident
    if execution.status in OPEN:
        found.stuck.append(name)
    elif execution.status != "success":
        if not ran:
            found.given_up.append(name)
        elif CRASHED in execution.error:
            found.given_up_running.append(name)
        else:
            found.failed.append(name)
