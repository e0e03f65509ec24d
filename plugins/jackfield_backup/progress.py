"""How far long work is, for whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from jackfield.api.cli import Advancing

ShowProgress: TypeAlias = Callable[[int, str], AbstractContextManager[Advancing]]
"""How many steps there are, and what goes on -> a context that hears of each step."""


class _Nobody:
    def update(self, n_steps: int) -> None:
        """Nobody waits."""


def hidden(length: int, label: str) -> AbstractContextManager[Advancing]:
    """Shows nothing."""
    return nullcontext(_Nobody())
