"""How much each session may read in one turn of the event loop, and when it leaves the loop to another one.

Large pieces are cheap, and a flood must not delay the echo of another session's keystrokes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jackfield.api.clock import Clock

PIECE = 4095
"""Bytes that a Linux terminal gives at once. Each but the first of a turn waits for the kernel to bring it."""
WHOLE = 32 * PIECE
"""Bytes for one session alone: one frame for each of its clients."""
SHARED = 8 * PIECE
"""Bytes while others have output as well."""
TYPING = 2 * PIECE
"""Bytes while somebody types into another session."""
RECENT = 0.02
"""Seconds after which a session that has read nothing no longer shares."""
TYPES = 2.0
"""Seconds after a keystroke within which the next one is expected."""
KEYSTROKES = 64
"""Bytes up to which they are typed, and an echo is waited for; more at once is pasted."""
ECHO = 0.002
"""Seconds within which a terminal echoes. Only its kernel is waited for, not an agent that thinks first."""


class ReadingBudget:
    """Shares the bytes of one turn among the sessions that have output. One for the daemon.

    Between a keystroke and its echo no other session reads: the processor and the kernel have the echo to bring. As
    long as they have waited they then go on in any case, so half of the time stays theirs however fast somebody types.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._read: dict[str, float] = {}
        self._typist = ""
        """Where somebody has typed last."""
        self._typed_at = float("-inf")
        self._awaited: set[str] = set()
        """The sessions whose echo is waited for."""
        self._since = 0.0
        """Since when, of the first of them."""
        self._free_until = float("-inf")
        """Until then none is."""
        self._held: list[Callable[[], None]] = []
        self._timer: asyncio.TimerHandle | None = None

    def share(self, session: str) -> int:
        """Bytes that the session may read now."""
        now = self._clock.monotonic()
        read = self._read
        if len(read) > 1 or session not in read:
            for other, at in tuple(read.items()):
                if now - at > RECENT:
                    del read[other]
        read[session] = now
        if session != self._typist and now - self._typed_at < TYPES:
            return TYPING
        return WHOLE if len(read) == 1 else SHARED

    def typed(self, session: str, size: int) -> None:
        """That many bytes, just now."""
        if size > KEYSTROKES:
            return
        now = self._typed_at = self._clock.monotonic()
        self._typist = session
        if self._awaited and now - self._since >= ECHO:
            self._go_on()
        if not self._awaited:
            if now < self._free_until:
                return
            self._since = now
        self._awaited.add(session)

    def printed(self, session: str) -> None:
        """The first output counts as the echo."""
        if self._awaited:
            self._awaited.discard(session)
            if not self._awaited:
                self._go_on()

    def holds(self, session: str, go_on: Callable[[], None]) -> bool:
        """Whether the session is to read nothing now; then `go_on` is called, after `ECHO` at the latest."""
        if not self._awaited or session in self._awaited:
            return False
        left = self._since + ECHO - self._clock.monotonic()
        if left <= 0:
            self._go_on()
            return False
        self._held.append(go_on)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(left, self._go_on)
        return True

    def _go_on(self) -> None:
        self._awaited.clear()
        self._free_until = self._since + 2 * min(self._clock.monotonic() - self._since, ECHO)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        held, self._held = self._held, []
        for go_on in held:
            go_on()
