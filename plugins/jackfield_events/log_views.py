"""Lines of the log as the API shows them, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield_events.log_files import LogFileLine, LogPosition

LEVELS = ("debug", "info", "warning", "error", "critical")
DEPTH = 32
_SHOWN = ("time", "level", "logger", "message")


def wanted(level: str, search: str) -> Callable[[bytes], bool]:
    """Lines of this level and above that have the text somewhere, in whatever case."""
    levels = [f'"level":"{name}"'.encode() for name in LEVELS[LEVELS.index(level) :]]
    needle = jsontext.dumps(search.lower())[1:-1]

    def matches(line: bytes) -> bool:
        # The level is near the line's begin; a message that quotes one is not taken for it.
        if not any(name in line[:100] for name in levels):
            return False
        return not needle or needle in line.decode(errors="replace").lower().encode()

    return matches


def view(line: LogFileLine, hide: Callable[[str], str]) -> dict[str, object]:
    """hide: masks what has become a secret after the line was written."""
    text = hide(line.text.decode(errors="replace"))
    try:
        found = jsontext.loads(text, max_depth=DEPTH)
    except InvalidInput:
        found = None
    if not isinstance(found, dict):
        found = {"time": None, "level": "info", "logger": "", "message": text}
    shown: dict[str, object] = {name: found.pop(name, "") for name in _SHOWN}
    return shown | {
        "request_id": found.pop("requestId", None),
        "exception": found.pop("exception", None),
        "fields": found,
        "cursor": cursor_of(line.place),
    }


def cursor_of(place: LogPosition) -> str:
    return f"{place.inode:x}-{place.offset:x}"


def place_of(cursor: str) -> LogPosition:
    """Raises `InvalidInput`."""
    try:
        inode, offset = (int(part, 16) for part in cursor.split("-"))
    except ValueError:
        raise InvalidInput(
            "There is no such place in the log.", details={"before": "give `next` or `cursor` of an answer"}
        ) from None
    return LogPosition(inode, max(offset, 0))
