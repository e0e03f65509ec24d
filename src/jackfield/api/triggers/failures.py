"""How a service refuses what a trigger asks of it."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime

from ..http_client import HttpReply
from ..nodes import NodeError

MOST_WAIT_S = 86_400.0
"""The longest wait that a service may ask for, in seconds."""


class ServiceRefusal(NodeError):
    """The service did not do what was asked. status: of its answer. retry_after: seconds that it asks to wait; None:
    it names none."""

    def __init__(self, message: str, *, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after

    @property
    def gone(self) -> bool:
        """Whether the thing is not there (404, 410)."""
        return self.status in (404, 410)


def wait_asked(reply: HttpReply, now: float | None = None) -> float | None:
    """Seconds of the answer's `Retry-After` (RFC 9110 section 10.2.3: seconds, or a date), from 0 to a day. None when
    there is none. now: Unix seconds, by default those of the system."""
    text = reply.header("retry-after").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now)
        except (ValueError, OverflowError):
            return None
    return min(max(0.0, seconds), MOST_WAIT_S) if seconds == seconds else None
