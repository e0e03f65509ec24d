"""Times of log lines."""

from __future__ import annotations

from datetime import UTC, datetime


def milliseconds(moment: datetime) -> int:
    """Since 1970. A moment without a zone is in UTC."""
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
