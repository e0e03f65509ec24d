"""The proxy's log: lines of text on standard error, which the daemon keeps and rotates."""

from __future__ import annotations

import sys
import time

from jackfield.api.clock import iso


def say(text: str) -> None:
    """One line; never holds a key or what a request says."""
    line = " ".join(text.split())
    if not line.isprintable():  # names that clients give: a terminal that shows the log would obey them
        line = "".join(sign if sign.isprintable() else "?" for sign in line)
    sys.stderr.write(f"{iso(time.time_ns() // 1_000_000)} {line}\n")
    sys.stderr.flush()
