"""How much each session may read in one turn of the event loop: large pieces are cheap, and a flood must not delay the
echo of another session's keystrokes."""

from __future__ import annotations

from jackfield.api.clock import Clock

WHOLE = 256 * 1024
"""Bytes for one session alone."""
SHARED = 32 * 1024
"""Bytes while others have output as well."""
RECENT = 0.02
"""Seconds after which a session that has read nothing no longer shares."""


class ReadingBudget:
    """Shares the bytes of one turn among the sessions that have output. One for the daemon."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._read: dict[str, float] = {}

    def share(self, session: str) -> int:
        """Bytes that the session may read now."""
        now = self._clock.monotonic()
        read = self._read
        if len(read) > 1 or session not in read:
            for other, at in tuple(read.items()):
                if now - at > RECENT:
                    del read[other]
        read[session] = now
        return WHOLE if len(read) == 1 else SHARED
