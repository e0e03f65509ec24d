"""The proxy's log: lines of text on standard error, which the daemon keeps and rotates."""

from __future__ import annotations

import sys
import time

from jackfield.api.clock import iso


def say(text: str) -> None:
    """One line; never holds a key or what a request says."""
    line = " ".join(text.split())
    sys.stderr.write(f"{iso(time.time_ns() // 1_000_000)} {line}\n")
    sys.stderr.flush()
