"""Where agents may work: not among Jackfield's own keys and documents."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.errors import InvalidInput


def existing_directory(given: str, config_dir: Path, home: Path | None = None) -> Path:
    """Where a program may start. home: see `require_outside`. Blocks. Raises `InvalidInput`."""
    path = Path(given)
    if "\0" in given or not path.is_absolute() or not path.is_dir():
        raise InvalidInput(
            "The working directory is not there.",
            code="WORKING_DIR",
            details={"working_dir": "give the absolute path of a directory"},
        )
    require_outside(given, config_dir, home)
    return path


def require_outside(given: str, config_dir: Path, home: Path | None = None) -> None:
    """An agent reads and changes whatever lies where it works. home: the profile's own, which may be in the
    configuration directory. Links are followed. Raises `InvalidInput`."""
    if "\0" in given:
        return  # no directory at all, which is said where it is used
    found = Path(given).resolve()
    if not found.is_relative_to(config_dir.resolve()):
        return
    if home is not None and found.is_relative_to(home.resolve()):
        return
    raise InvalidInput(
        f"The working directory {given} is inside the configuration directory {config_dir}, where Jackfield keeps its "
        "keys and documents.",
        code="WORKING_DIR",
        details={"working_dir": "choose the directory of a project, outside of the configuration directory"},
    )
