"""The settings table `schedule`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ScheduleSettings(BaseModel):
    """Workflows that start at times."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    catch_up: float = Field(
        3_600,
        description="Seconds for which a missed start is made up for: after a restart, after the clock was set "
        "forward, or while the store did not answer, a trigger's last missed time starts its workflow once if it is "
        "no older; 0: never.",
        ge=0,
        le=31 * 86_400,
    )
    remember_hours: float = Field(
        24,
        description="Hours for which it is remembered that a time has started its workflow, so that it does not again "
        "when the clock is set back; at least an hour longer than catch_up.",
        ge=1,
        le=8_760,
    )
    clock_check: float = Field(
        5, description="Seconds between two looks at whether the system's clock was set.", ge=0.1, le=60
    )
