"""The table `[copilot]`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class CopilotSettings(BaseModel):
    """Drafts of workflows, and agents that work on them."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    drafts: int = Field(200, description="Drafts that the store keeps at most; more are refused.", ge=1, le=10_000)
    draft_bytes: int = Field(
        1_048_576, description="Bytes of JSON that the document of a draft may have.", ge=4096, le=33_554_432
    )
    draft_days: float = Field(30, description="Days after which a draft that nobody has changed goes.", gt=0, le=3660)
    sweep_interval: float = Field(3600, description="Seconds between two looks for such drafts.", gt=0, le=604_800)
    run_wait: float = Field(
        300,
        description="Seconds in which somebody may let an agent run its draft; then it gets a no.",
        gt=0,
        le=86_400,
    )
    mend_timeout: float = Field(
        900,
        description="Seconds for the agent of a node Repair With Agent where the node names no time.",
        gt=0,
        le=86_400,
    )
