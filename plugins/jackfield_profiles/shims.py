"""Commands of profiles: a two-line script in the user's directory of programs, named like the profile, that runs it.
All of it blocks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.records import record
from jackfield_profiles.settings import ProfilesSettings

_OURS = re.compile(rb'#!/bin/sh\nexec .{1,4096} profiles run (?:.{1,4096} )?([A-Za-z0-9_-]{1,64}) -- "\$@"\n')
_LARGEST = 16_384


@record
class Shim:
    """on_path: whether the shell finds it."""

    path: Path
    on_path: bool


class ShimFailed(JackfieldError):
    """The command could not be written."""

    code = "SHIM_FAILED"


class Shims:
    """A file that we have not written is never touched."""

    def __init__(self, context: PluginContext) -> None:
        self._config_dir = context.service.config_dir
        self._settings = context.settings(ProfilesSettings)

    @property
    def directory(self) -> Path:
        if self._settings.bin_dir:
            return Path(self._settings.bin_dir).expanduser()
        usual, other = Path.home() / ".local" / "bin", Path.home() / "bin"
        return other if other.is_dir() and not usual.is_dir() else usual

    def install(self, alias: str, directory: Path | None = None) -> Shim:
        """Again over our own. Raises `Conflict` when another program has the name, `ShimFailed`."""
        folder = (directory or self.directory).absolute()
        path = folder / alias
        if os.path.lexists(path):
            if _alias_in(path) is None:
                raise Conflict(
                    f"{path} is there already and is not ours; it was left alone. Choose another directory.",
                    code="SHIM_CONFLICT",
                )
        elif (other := shutil.which(alias)) is not None:
            raise Conflict(
                f"{alias} is the program {other} already; a command of this name would hide it.", code="SHIM_CONFLICT"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._write(path, alias)
        except OSError as exc:
            raise ShimFailed(f"{path} cannot be written: {exc.strerror}.") from None
        return Shim(path, str(folder) in os.environ.get("PATH", "").split(os.pathsep))

    def uninstall(self, alias: str, directory: Path | None = None) -> bool:
        """Whether there was one of ours, which is gone now."""
        path = (directory or self.directory) / alias
        if _alias_in(path) != alias:
            return False
        try:
            path.unlink()
        except OSError:
            return False
        return True

    def path_of(self, alias: str) -> Path | None:
        """Of the profile's command; None: it has none of ours."""
        path = self.directory / alias
        return path if _alias_in(path) == alias else None

    def installed(self, directory: Path | None = None) -> list[str]:
        """The aliases that have one."""
        folder = directory or self.directory
        try:
            found = sorted(folder.iterdir())
        except OSError:
            return []
        return [path.name for path in found if _alias_in(path) == path.name]

    def _write(self, path: Path, alias: str) -> None:
        fresh = path.with_name(f".{alias}.{os.getpid()}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755)
        try:
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, 0o755)
                file.write(self._text(alias))
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    def _text(self, alias: str) -> bytes:
        command = [*_program(), "profiles", "run", "--config-dir", str(self._config_dir), alias, "--"]
        return f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'.encode()


def _program() -> list[str]:
    """This program, wherever it is installed: a shell's PATH may have another one, or none."""
    beside = Path(sys.executable).with_name("jackfield")
    found = str(beside) if beside.exists() else shutil.which("jackfield")
    return [found] if found else [sys.executable, "-m", "jackfield"]


def _alias_in(path: Path) -> str | None:
    """The profile whose command the file is; None: not ours."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        found = _OURS.fullmatch(path.read_bytes())
    except OSError:
        return None
    return found[1].decode() if found else None
