"""The table `[approvals]`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ApprovalsSettings(BaseModel):
    """The questions to people, in one place."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    max_open: int = Field(
        200, ge=1, le=100_000, description="Requests of agents that may be open at a host; further ones are rejected."
    )
    max_open_of_agent: int = Field(
        20,
        ge=1,
        le=100_000,
        description="Requests of one run or session that may be open, so that it leaves room for others; further ones "
        "are rejected.",
    )
    inputs_limit: int = Field(
        8 * 1024 * 1024,
        ge=64 * 1024,
        le=256 * 1024 * 1024,
        description="Largest size of the inputs of all open requests at a host together, in bytes; a request that "
        "exceeds it is rejected.",
    )
    keep_closed: int = Field(
        200, ge=0, le=100_000, description="Closed requests of agents that are remembered; older ones are forgotten."
    )
    request_timeout: float = Field(
        600.0,
        ge=1,
        le=86_400,
        description="Time within which somebody must answer the request of a run or a terminal session, in seconds; "
        "then it is rejected.",
    )
    input_limit: int = Field(
        256 * 1024,
        ge=1024,
        le=16 * 1024 * 1024,
        description="Largest input of a request that is shown, in bytes; a longer one is cut and can only be rejected.",
    )
    body_limit: int = Field(
        4 * 1024 * 1024,
        ge=64 * 1024,
        le=64 * 1024 * 1024,
        description="Largest body with which an agent asks, in bytes; a larger one is refused.",
    )
    body_timeout: float = Field(
        30.0, gt=0, le=600, description="Time within which that body must have arrived, in seconds."
    )
    network_sandbox: Literal["off", "standard", "strict"] = Field(
        "standard",
        description="Least sandbox of a run or terminal session in which a caller from another machine, or through a "
        "proxy, may allow something. To reject needs none.",
    )
