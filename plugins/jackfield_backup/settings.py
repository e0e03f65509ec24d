"""The table `backup`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from jackfield.api.context import PluginContext
from jackfield.api.object_references import load

SCHEDULE = "jackfield_backup.schedule:forever"
"""By object reference: a daemon without a schedule needs none of it."""


class BackupSettings(BaseModel):
    """Where backups go, how often the daemon makes one, and how many are kept."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    directory: str = Field(
        "backups",
        min_length=1,
        description="Directory of the backups; a relative path starts at the configuration directory. Choose another "
        "disk: a backup beside the original is lost with it.",
    )
    interval: int = Field(
        0,
        ge=0,
        le=31_536_000,
        description="Seconds between two backups that the daemon makes by itself; 0 makes none. A failed one is tried "
        "again after an hour, or after this time if it is shorter.",
    )
    keep: int = Field(
        7, ge=1, le=10_000, description="Backups that are kept, the newest; older ones go after each new one."
    )
    keys: bool = Field(
        True,
        description="Whether backups hold `keys/`, which opens every sealed secret. Without it keep those files "
        "elsewhere: what they sealed cannot be read with others.",
    )

    def place(self, config_dir: Path) -> Path:
        """The directory's path."""
        return config_dir / Path(self.directory).expanduser()


def start(context: PluginContext) -> None:
    """Make backups from now on, if the settings want them; nothing is imported otherwise."""
    if context.settings(BackupSettings).interval:
        forever = cast("Callable[[PluginContext], Coroutine[object, object, None]]", load(SCHEDULE))
        context.spawn("backup.schedule", forever(context))
