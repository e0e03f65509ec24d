"""Which node runs when and with which items: random workflows in both orders."""

from __future__ import annotations

from collections.abc import Iterable

from ..cases import Family, WorkflowCase
from ..graphs import RandomWorkflow

COUNT = 150
"""Workflows of each family."""


def _random(order: str | None, *, modes: bool) -> Iterable[WorkflowCase]:
    for number in range(COUNT):
        made = RandomWorkflow(f"{order}:{modes}:{number}", order, size=5 + number % 8, modes=modes)
        yield WorkflowCase(str(number), made.document(), made.items())


FAMILIES = (
    Family("execution order: v1", lambda: _random("v1", modes=False)),
    Family("execution order: v1, modes of nodes", lambda: _random("v1", modes=True)),
    Family("execution order: v0", lambda: _random("v0", modes=False)),
    Family("execution order: v0, modes of nodes", lambda: _random("v0", modes=True)),
    Family("execution order: none given", lambda: _random(None, modes=False)),
)
