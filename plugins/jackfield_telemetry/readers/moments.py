"""Times of log lines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_START = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(moment: datetime) -> int:
    """Since 1970. A moment without a zone is in UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if moment.microsecond % 1000 == 0:  # as agents write it: then nothing has to be rounded, which costs most
        return (moment - _START) // _MILLISECOND
    return round(moment.timestamp() * 1000)
