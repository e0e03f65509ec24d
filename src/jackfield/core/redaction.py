"""Secrets are hidden by value: whatever registered value turns up in a text is replaced, whoever wrote the text."""

from __future__ import annotations

import json
import re
import threading
from urllib.parse import quote

HIDDEN = "***"
LIMIT = 4096
SHORTEST = 6
# What looks like one of our own credentials is hidden even if nobody registered it.
PATTERNS = (
    r"jf_(?:ap|pl|sk|ss|oa|oc|or|pt|sh|vk)_[A-Za-z0-9_-]{20,}|jf_al_[A-Za-z0-9_.-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"
    r"|(?i:Bearer|Basic) [A-Za-z0-9._~+/=-]{8,}"
)


class Redactor:
    """Thread-safe; remembers the newest `LIMIT` values."""

    def __init__(self) -> None:
        self._values: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()

    def add(self, *values: str) -> None:
        with self._lock:
            for value in values:
                if len(value) < SHORTEST:
                    continue
                if value not in self._values:
                    # Only then: to make it anew for a thousand values takes a tenth of a second.
                    self._pattern = None
                self._values.pop(value, None)
                self._values[value] = None
                if len(self._values) > LIMIT:
                    del self._values[next(iter(self._values))]

    def __call__(self, text: str) -> str:
        pattern = self._pattern
        if pattern is None:
            # Under the lock to the end, so that a value added meanwhile is not forgotten.
            with self._lock:
                known = sorted({form for value in self._values for form in forms(value)}, key=len, reverse=True)
                pattern = self._pattern = re.compile("|".join([*map(re.escape, known), PATTERNS]))
        return pattern.sub(HIDDEN, text)


def forms(value: str) -> set[str]:
    """The value as it stands, and as JSON, a traceback or a URL would write it."""
    escaped = [value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]]
    return {*escaped, quote(value, safe="", errors="replace"), quote(value, errors="replace")}
