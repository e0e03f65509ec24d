"""Secrets are hidden by value: whatever registered value turns up in a text is replaced, whoever wrote the text."""

from __future__ import annotations

import re
import threading

HIDDEN = "***"
LIMIT = 4096
SHORTEST = 6
# What looks like one of our own credentials is hidden even if nobody registered it.
PATTERNS = (
    r"jf_sk_[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"
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
                self._values.pop(value, None)
                self._values[value] = None
                if len(self._values) > LIMIT:
                    del self._values[next(iter(self._values))]
            self._pattern = None

    def __call__(self, text: str) -> str:
        pattern = self._pattern
        if pattern is None:
            with self._lock:
                known = sorted(self._values, key=len, reverse=True)
            pattern = self._pattern = re.compile("|".join([*map(re.escape, known), PATTERNS]))
        return pattern.sub(HIDDEN, text)
