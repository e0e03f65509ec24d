"""The settings of JavaScript."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class JavaScriptSettings(BaseModel):
    """Limits of expressions and Code nodes. Sizes in MiB, times in seconds."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    expression_workers: int = Field(2, ge=1, le=64, description="Processes that evaluate expressions.")
    expression_timeout: float = Field(
        1.0,
        gt=0,
        le=60,
        description="Seconds that the expressions of one node may take for each 200 items or part of it.",
    )
    answer_at_once: int = Field(
        80,
        ge=0,
        le=1000,
        description="Microseconds that the event loop itself looks out for the values of a few expressions, which "
        "come sooner than it could turn to them. 0: never. Behind values that take longer it does not for a "
        "while.",
    )
    expression_memory: int = Field(64, ge=16, le=4096, description="MiB that the JavaScript of an expression may hold.")
    compiled_expressions: int = Field(512, ge=1, le=10_000, description="Expressions kept compiled in each worker.")
    code_workers: int = Field(2, ge=1, le=64, description="Processes that run Code nodes.")
    code_memory: int = Field(256, ge=16, le=16384, description="MiB that the JavaScript of a Code node may hold.")
    code_memory_per_input: float = Field(
        16,
        ge=0,
        le=1000,
        description="MiB that it may hold beyond `code_memory` for each MiB of JSON that it is given.",
    )
    max_memory: int = Field(
        1024, ge=16, le=65536, description="The most MiB that a Code node may hold with what its input adds."
    )
    max_waiting: int = Field(256, ge=1, le=100_000, description="Evaluations, and runs, that may wait for a worker.")
    max_wait: float = Field(30.0, gt=0, le=3600, description="Seconds that one waits for a worker before it fails.")
    start_timeout: float = Field(10.0, gt=0, le=120, description="Seconds that a worker may take to start.")
    uses: int = Field(1000, ge=1, description="Runs of Code nodes after which a worker is replaced.")
    log_lines: int = Field(200, ge=0, le=10_000, description="Lines kept of what a Code node prints.")
    log_length: int = Field(2000, ge=10, le=100_000, description="Characters kept of each such line.")
