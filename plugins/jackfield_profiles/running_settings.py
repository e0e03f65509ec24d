"""The table `profiles.run`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

NEVER_INHERITED = "JACKFIELD_"
"""Names that begin so belong to the daemon."""


class RunSettings(BaseModel):
    """How agents are started, and what bounds them."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    timeout: float = Field(
        600, gt=0, le=86_400, description="Longest time of a headless run that names none, in seconds."
    )
    network_sandbox: Literal["off", "standard", "strict"] = Field(
        "standard",
        description="Least sandbox of a headless run that a caller from another machine, or through a proxy, starts.",
    )
    workflow_sandbox: Literal["off", "standard", "strict"] = Field(
        "off",
        description="Least sandbox of a run that the node jackfield.agent starts. The person who starts an execution, "
        "or has written its workflow, may be anywhere. off: that of the profile.",
    )
    output_limit: int = Field(
        2**20,
        ge=1024,
        le=2**26,
        description="How much of the end of a headless run's output, and as much of its errors, is kept, in bytes.",
    )
    hook_timeout: float = Field(
        30, gt=0, le=3600, description="Longest time of one create, delete, pre_run or post_run command, in seconds."
    )
    inherit: list[str] = Field(
        default_factory=list,
        description="Environment variables that agents get from the daemon beside the usual ones, such as "
        "SSH_AUTH_SOCK. Names that begin with JACKFIELD_ and the key variables of providers are never passed on.",
    )
    grace: float = Field(
        5, ge=0, le=300, description="How long a process group may take to end before it is killed, in seconds."
    )
    resume_within: float = Field(
        7 * 86_400,
        ge=0,
        le=365 * 86_400,
        description="How long after its start an interrupted run can go on with its agent's session, in seconds.",
    )
    key_check: float = Field(
        1.0,
        ge=0,
        le=30,
        description="How long a start waits for the provider's word on the key, in seconds; one that is refused (401) "
        "refuses the start. 0: nothing is asked.",
    )
    key_check_lasts: float = Field(
        3600, ge=0, le=86_400, description="How long a key that a provider has taken is not asked about, in seconds."
    )
    concurrent: int = Field(
        4, ge=1, le=256, description="Most headless runs of one profile at a time; further ones wait."
    )
    slots: int = Field(
        8,
        ge=1,
        le=10_000,
        description="Headless runs that are this host's share where several hosts share a store. The node "
        "jackfield.agent runs on the host with the most of them free. Nothing waits for one.",
    )
    max_files: int = Field(64, ge=1, le=10_000, description="Most files that one script may generate.")
    max_file_bytes: int = Field(
        2**20, ge=1024, le=2**26, description="Largest generated file, and largest file it is merged into, in bytes."
    )
    lock_timeout: float = Field(
        10, gt=0, le=300, description="How long a start waits for another that writes the same home, in seconds."
    )

    @field_validator("inherit")
    @classmethod
    def _names(cls, value: list[str]) -> list[str]:
        for name in value:
            if not name or "=" in name or "\0" in name or name.startswith(NEVER_INHERITED):
                raise ValueError(f"{name!r} is no variable that may be passed on")
        return value
