"""How commands speak of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def run_line(run: Mapping[str, Any]) -> str:
    """One line about a run, as the API shows it."""
    totals = run["totals"]
    score = "no score" if totals["score"] is None else f"score {totals['score']:.3f}"
    parts = [
        f"run {run['number']} {run['status']}",
        f"{totals['done']} of {totals['rows']} rows",
        score,
        f"{totals['passed']} passed",
        f"{totals['failed']} failed",
        f"{totals['tokensIn'] + totals['tokensOut']} tokens",
        f"${totals['cost']:.4f}",
        f"{totals['durationMs'] / 1000:.1f} s",
    ]
    return ", ".join(parts)
