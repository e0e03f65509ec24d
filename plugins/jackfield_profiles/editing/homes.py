"""A profile's own home directory: where it is, making it, and removing what was made here and nothing else. All but
`home_of` blocks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from jackfield.api.agents import Agent
from jackfield.api.errors import ConfigurationError, InvalidInput
from jackfield.api.files import create_private, private_directory, read_private
from jackfield.api.records import record

MARK = ".jackfield-profile"
"""File in a home that was made here; it holds the alias."""


@record
class MadeHome:
    """topmost: the highest directory that was missing before; None: the home was there."""

    path: Path
    topmost: Path | None


def home_of(agent: Agent, alias: str, config_dir: Path) -> Path:
    """By the agent's template; without one `~/.<agent>-profiles/<alias>`. Raises `InvalidInput` for a template that
    leads to a directory which is not the profile's alone."""
    template = agent.profile.source_home or f"~/.{agent.id}-profiles/{{alias}}"
    if "{alias}" not in template:
        template += "/{alias}"
    # os.path's leaves the `~` of a user who is not there: no absolute path.
    home = Path(os.path.normpath(os.path.expanduser(template.replace("{alias}", alias))))  # noqa: PTH111
    if "\0" in template or not home.is_absolute() or _holds(home, Path.home()) or _holds(home, config_dir):
        raise InvalidInput(
            f"The agent {agent.id} has no usable place for the homes of its profiles.",
            code="HOME_INVALID",
            details={"agent_id": f"profile.source_home of {agent.id} must be a path of its own, such as ~/x/{{alias}}"},
        )
    return home


def _holds(directory: Path, other: Path) -> bool:
    """Whether it is the other directory or one above it."""
    return Path(os.path.normpath(other)).is_relative_to(directory) or _same_or_above(directory, other)


def _same_or_above(directory: Path, other: Path) -> bool:
    return other.resolve().is_relative_to(directory.resolve())


def make(home: Path, alias: str) -> MadeHome:
    """Make it with a mark, 0700; one that is there is taken as it is. Raises `ConfigurationError` for what is no
    directory or a symbolic link."""
    if home.is_symlink():
        raise ConfigurationError(f"The home {home} is a symbolic link, which is not followed; remove it.")
    topmost = _topmost_missing(home)
    private_directory(home)
    if topmost is not None:
        create_private(home / MARK, alias.encode())
    return MadeHome(home, topmost)


def _topmost_missing(home: Path) -> Path | None:
    missing = [path for path in (home, *home.parents) if not os.path.lexists(path)]
    return missing[-1] if missing else None


def unmake(made: MadeHome) -> None:
    """Undo `make`: what was there before stays."""
    if made.topmost is None:
        return
    shutil.rmtree(made.path, ignore_errors=True)
    for parent in made.path.parents:
        if not parent.is_relative_to(made.topmost):
            return
        try:
            parent.rmdir()
        except OSError:
            return  # another profile's home has come into it


def reason_to_keep(home: Path, alias: str, config_dir: Path) -> str | None:
    """Why the home must not be removed; None when it may be. Raises `ConfigurationError`."""
    if home.is_symlink():
        return "it is a symbolic link"
    if _holds(home, Path.home()) or _holds(home, config_dir):
        return "it holds more than the profile"
    if read_private(home / MARK) != alias.encode():
        return f"it was not made for this profile (it has no {MARK} of it)"
    return None


def purge(home: Path, alias: str, config_dir: Path) -> str | None:
    """Remove the home with all that is in it; links in it are removed, not followed. Gives what is to be said when it
    is kept, in one sentence."""
    if not home.exists() and not home.is_symlink():
        return None
    try:
        reason = reason_to_keep(home, alias, config_dir)
        if reason is None:
            shutil.rmtree(home)
    except (OSError, ConfigurationError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
    return None if reason is None else f"The home {home} was kept: {reason}."
