"""The settings of this plugin."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ExecutionLogSettings(BaseModel):
    """`[execution_log]`"""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field("", description="The file; empty: execution-log.jsonl in the configuration directory.")
