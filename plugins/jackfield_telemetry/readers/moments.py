"""Times of log lines."""

from __future__ import annotations

from datetime import UTC, datetime

_START = datetime(1970, 1, 1, tzinfo=UTC)


def milliseconds(moment: datetime) -> int:
    """Since 1970. A moment without a zone is in UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - _START
    whole, rest = divmod(since.microseconds, 1000)
    if rest:  # no agent writes it so
        return round(moment.timestamp() * 1000)
    return since.days * 86_400_000 + since.seconds * 1000 + whole
