"""The files of an installed distribution, kept aside while another version takes its place.

An index need not have the earlier version, and a wheel on the disk may be gone: only its files bring it back.
"""

from __future__ import annotations

import shutil
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path


class KeptDistribution:
    """As the distribution was when this was made. Without a list of its files there is nothing to bring back."""

    def __init__(self, name: str, place: Path) -> None:
        """place: an empty directory for the copies. Raises `OSError`."""
        self._copies: list[tuple[Path, Path]] = []
        try:
            files = Distribution.from_name(name).files or ()
        except PackageNotFoundError:
            files = ()
        for number, file in enumerate(files):
            original = Path(str(file.locate()))
            if original.is_file():
                copy = place / str(number)
                shutil.copy2(original, copy)
                self._copies.append((original, copy))

    def restore(self) -> bool:
        """Once the other version is uninstalled. False: there is nothing to bring back. Raises `OSError`."""
        for original, copy in self._copies:
            original.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(copy, original)
        return bool(self._copies)
