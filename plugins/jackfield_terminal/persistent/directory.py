"""Where persistent sessions are. A start looks here, and loads nothing more when there are none."""

from __future__ import annotations

import os
from pathlib import Path

DIRECTORY = "terminals"
"""In the configuration directory: one directory for each persistent session."""


def is_any_persistent(config_dir: Path) -> bool:
    """Whether a daemon has left sessions behind. Blocks."""
    try:
        with os.scandir(config_dir / DIRECTORY) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
