"""How long the event loop looks out for an answer itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

MOST_PASSED_OVER = 64
Answer = TypeVar("Answer")


class Patience:
    """It does while answers come in time; behind one that did not, not for the next 2, 4 and up to 64."""

    def __init__(self, microseconds: int) -> None:
        """microseconds: how long at most; 0: not at all."""
        self._seconds = microseconds / 1e6
        self._pass_over = 0
        self._left = 0

    def found(self, look: Callable[[float], Answer | None]) -> Answer | None:
        """The result of `look`, which gets the seconds that it may take."""
        if not self._seconds:
            return None
        if self._left:
            self._left -= 1
            return None
        answer = look(self._seconds)
        self._pass_over = min(2 * self._pass_over or 2, MOST_PASSED_OVER) if answer is None else 0
        self._left = self._pass_over
        return answer
