"""The settings of Python in Code nodes."""

from __future__ import annotations

import sys

from pydantic import BaseModel, ConfigDict, Field, field_validator

MODULES = (
    "abc array base64 binascii bisect calendar cmath collections colorsys contextlib copy csv dataclasses "
    "datetime decimal difflib enum fractions functools graphlib hashlib heapq hmac html io ipaddress itertools "
    "json math numbers operator pprint random re secrets statistics string struct textwrap time types typing "
    "unicodedata urllib.parse uuid xml.etree.ElementTree zlib zoneinfo"
)
"""The modules that are of use without files, network and processes."""


class PythonSettings(BaseModel):
    """Limits of Code nodes in Python."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    workers: int = Field(2, ge=1, le=64, description="Runs side by side.")
    memory: int = Field(256, ge=16, le=16384, description="MiB that one run may take beyond the bare interpreter.")
    memory_per_input: float = Field(
        16, ge=0, le=1000, description="MiB that it may take beyond `memory` for each MiB of JSON that it is given."
    )
    max_memory: int = Field(
        1024, ge=16, le=65536, description="The most MiB that a run may take with what its input adds."
    )
    max_result: int = Field(64, ge=1, le=1024, description="MiB of JSON that one run may return.")
    modules: list[str] = Field(
        MODULES.split(),
        description="Modules of the standard library that programs may import, with what is below them.",
    )
    max_waiting: int = Field(256, ge=1, le=100_000, description="Runs that may wait for a worker.")
    max_wait: float = Field(30.0, gt=0, le=3600, description="Seconds that one waits for a worker before it fails.")
    start_timeout: float = Field(15.0, gt=0, le=120, description="Seconds that a worker may take to start.")
    log_lines: int = Field(200, ge=0, le=10_000, description="Lines kept of what a program prints.")
    log_length: int = Field(2000, ge=10, le=100_000, description="Characters kept of each such line.")

    @field_validator("modules")
    @classmethod
    def _of_the_standard_library(cls, given: list[str]) -> list[str]:
        for name in given:
            if name.partition(".")[0] not in sys.stdlib_module_names:
                raise ValueError(f"{name[:100]} is no module of the standard library")
        return given
