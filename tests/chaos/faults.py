"""Faults of disk and clock, inflicted on one daemon by a preloaded library: `faults.c`, which is built here."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("faults.c")
FIELDS = struct.Struct("=iiiiqq")


class Faults:
    """Steers the library in the processes that got `environment`. directory: files below it are concerned."""

    def __init__(self, place: Path, directory: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._library = place / "faults.so"
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("there is no C compiler (cc), which builds the library that inflicts faults")
        built = [compiler, "-O1", "-shared", "-fPIC", "-Wall", "-o", str(self._library), str(SOURCE), "-ldl"]
        subprocess.run(built, check=True)
        self._control = place / "control"
        self._control.write_bytes(bytes(FIELDS.size))
        with self._control.open("r+b") as file:
            self._shared = mmap.mmap(file.fileno(), FIELDS.size)
        self._directory = directory

    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(self._library),
            "CHAOS_CONTROL": str(self._control),
            "CHAOS_DIRECTORY": str(self._directory),
        }

    @property
    def inflicted(self) -> int:
        """Calls that have failed so far."""
        return int(FIELDS.unpack(self._shared)[-1])

    def writes(self, error: int, share: float = 1.0) -> None:
        """Writes, syncs and truncations fail with this errno. share: of 1."""
        struct.pack_into("=ii", self._shared, 0, error, round(share * 1000))

    def changes(self, error: int) -> None:
        """Writes fail, and whatever opens a file to write, or changes a directory."""
        self.writes(error)
        struct.pack_into("=i", self._shared, 8, error)

    def slow(self, seconds: float) -> None:
        """Each write and sync takes so much longer."""
        struct.pack_into("=i", self._shared, 12, round(seconds * 1e6))

    def clock(self, seconds: float) -> None:
        """The clock of the day is so far ahead; the monotonic one is not."""
        struct.pack_into("=q", self._shared, 16, round(seconds * 1e9))

    def end(self) -> None:
        """None of all this."""
        struct.pack_into("=iiiiq", self._shared, 0, 0, 0, 0, 0, 0)
