"""The table `evaluations` of the settings."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class EvaluationsSettings(BaseModel):
    """Bounds of evaluations and of their runs."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_evaluations: int = Field(1000, ge=1, le=100_000, description="Evaluations that there may be.")
    max_rows: int = Field(1000, ge=1, le=100_000, description="Rows of its data table that one run takes at most.")
    concurrent: int = Field(4, ge=1, le=1000, description="Rows that this daemon works on side by side, in all runs.")
    max_runs: int = Field(10, ge=1, le=1000, description="Runs that this daemon has going on at a time; more get 409.")
    row_timeout: float = Field(
        600, gt=0, le=86_400, description="Seconds that a row, and each question to a judge, may take."
    )
    run_timeout: float = Field(
        14_400, gt=0, le=604_800, description="Seconds after which a run stops; an evaluation may say fewer."
    )
    script_timeout: float = Field(10, gt=0, le=600, description="Seconds that a scorer's code may take for one row.")
    output_limit: int = Field(
        64 * 1024,
        ge=256,
        le=1 << 20,
        description="Bytes kept of each of a row's input, expectation and output.",
    )
    keep_runs: int = Field(100, ge=1, le=100_000, description="Runs that are kept of one evaluation, the newest.")
    keep_hours: int = Field(
        8760, ge=1, le=876_000, description="Hours for which runs are kept, but for the newest of an evaluation."
    )
    lease: float = Field(
        30, ge=2, le=3600, description="Seconds without a sign of its daemon after which another one takes a run over."
    )
    look_interval: float = Field(
        1, ge=0.05, le=60, description="Seconds between two looks at a run's progress, and at wishes to cancel it."
    )
    prune_interval: float = Field(3600, ge=1, le=86_400, description="Seconds between two looks for runs that are old.")
