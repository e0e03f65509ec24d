"""The settings table `schedule`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ScheduleSettings(BaseModel):
    """Workflows that start at times."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    catch_up: float = Field(
        3_600,
        description="Seconds for which a missed start is made up for; 0: never. After a restart, after the clock was "
        "set forward, or while the store did not answer, a start is missed. A trigger's last missed time starts "
        "its workflow once if it is no older.",
        ge=0,
        le=31 * 86_400,
    )
    remember_hours: float = Field(
        24,
        description="Hours for which the daemon remembers that a time has started its workflow. So that time does not "
        "start it again when the clock is set back. Set at least an hour more than catch_up.",
        ge=1,
        le=8_760,
    )
    clock_check: float = Field(
        5, description="Seconds between two looks at whether the system's clock was set.", ge=0.1, le=60
    )
