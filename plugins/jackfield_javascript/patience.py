"""Whether the event loop waits for an answer itself."""

from __future__ import annotations

SOON = 0.000_25
"""Seconds. An answer that takes longer leaves the loop time for other work."""
MOST_PASSED_OVER = 64


class Patience:
    """It does while answers come soon; behind one that did not, not for the next 2, 4 and up to 64 evaluations."""

    def __init__(self, milliseconds: int) -> None:
        """milliseconds: how long at most; 0: never."""
        self.milliseconds = milliseconds
        self._pass_over = 0
        self._left = 0

    def waits(self) -> bool:
        if not self.milliseconds:
            return False
        if self._left:
            self._left -= 1
            return False
        return True

    def told(self, seconds: float) -> None:
        """How long the wait was."""
        self._pass_over = min(2 * self._pass_over or 2, MOST_PASSED_OVER) if seconds > SOON else 0
        self._left = self._pass_over
