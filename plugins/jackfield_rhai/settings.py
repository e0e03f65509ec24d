"""The limits on Rhai scripts, and their defaults."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class RhaiSettings(BaseModel):
    """Limits of one script."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    max_operations: int = Field(100_000, ge=100, le=1_000_000_000, description="Operations of one evaluation.")
    max_call_levels: int = Field(64, ge=4, le=64, description="Calls of functions inside of each other.")
    max_string_size: int = Field(1_048_576, ge=1024, le=1 << 26, description="Bytes of one text.")
    max_items: int = Field(10_000, ge=16, le=1_000_000, description="Items of one array or map, with all it holds.")
    max_memory: int = Field(64, ge=1, le=1024, description="MiB that one script may hold.")
    total_memory: int = Field(
        128,
        ge=1,
        le=65536,
        description="MiB that all running scripts may hold together: as many run side by side as have room in it, and "
        "the others wait.",
    )
    timeout: float = Field(2.0, gt=0, le=60, description="Time for one evaluation, in seconds.")
    code_operations: int = Field(
        10_000_000, ge=1000, le=10_000_000_000, description="Operations of one run of a Code node in Rhai."
    )
    code_items: int = Field(100_000, ge=16, le=1_000_000, description="Items of one array or map in a Code node.")
    threads: int = Field(2, ge=1, le=64, description="Scripts that run side by side.")
    max_waiting: int = Field(256, ge=1, le=100_000, description="Scripts that may wait for their turn.")
    max_wait: float = Field(30.0, gt=0, le=3600, description="How long one waits for its turn, in seconds.")
    compiled: int = Field(256, ge=1, le=10_000, description="Scripts kept compiled.")
    log_lines: int = Field(200, ge=0, le=10_000, description="Lines kept of what a script prints.")
    log_length: int = Field(2000, ge=10, le=100_000, description="Characters kept of each such line.")
    max_hung: int = Field(
        8,
        ge=1,
        le=64,
        description="Calls of plugins' functions that may go on after their script has given up. As long as that many "
        "do, no function of a plugin is called. Calls.",
    )

    @property
    def memory_each(self) -> int:
        """MiB of one script."""
        return min(self.max_memory, self.total_memory)

    @property
    def side_by_side(self) -> int:
        """Scripts that may run at once, and each take all that it may."""
        return max(1, min(self.threads, self.total_memory // self.memory_each))
