"""How commands follow an execution of the daemon: how often they ask, and what they tell of its node runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jackfield_workflows.cli.progress import RunPrinter

OVER = frozenset({"success", "failed", "cancelled"})
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0


def longer(pause: float) -> float:
    """The next pause between two questions, in seconds."""
    return min(pause * 1.5, LONGEST_PAUSE_S)


def tell_nodes(nodes: Mapping[str, Any], told: set[int], printer: RunPrinter) -> None:
    """Print the node runs whose index is not in `told`, and note them there. nodes: as `GET /executions/{id}` has
    them."""
    runs = sorted((run["index"], name, run) for name, each in nodes.items() for run in each if run["index"] not in told)
    for index, name, run in runs:
        told.add(index)
        error = run.get("error")
        message = str(error.get("message", "")) if isinstance(error, dict) else None
        printer.node(name, run.get("duration") or 0, sum(map(len, run.get("outputs") or [])), message)
