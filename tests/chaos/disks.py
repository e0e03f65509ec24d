"""File systems that are small."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(place: Path, options: str) -> Iterator[Path]:
    """A file system in memory; skips where mounting is not permitted."""
    place.mkdir()
    run = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True)
    if run.returncode != 0:
        pytest.skip(f"mounting is not permitted: {run.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def filled(path: Path) -> None:
    """Write until nothing more fits, in ever smaller pieces."""
    with path.open("wb", buffering=0) as file:
        size = 1 << 20
        while size >= 512:
            try:
                file.write(b"\0" * size)
            except OSError:
                size //= 2
