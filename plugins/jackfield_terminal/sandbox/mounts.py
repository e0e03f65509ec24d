"""The part of the file system that a sandbox shows: a few mounts, of which the deepest that holds a path decides.

All of it looks at the file system and blocks.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield_terminal.settings import SandboxSettings

Kind: TypeAlias = Literal["standard", "strict"]
How: TypeAlias = Literal["hidden", "read", "write", "temporary"]
"""hidden: an empty directory that cannot be written; temporary: a new one that can."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store")
_NOWHERE_TO_WORK = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/boot", "/dev", "/proc", "/sys", "/run",
    "/var/spool",
)  # fmt: skip
"""A working directory can be written; what is written here is run by others, as root too."""
_ROOT = Path("/")


@record
class SandboxPaths:
    """The paths of one sandbox.

    `user_home`: of the daemon's user. `others`: homes of other profiles. `daemon`: directories of the daemon's program,
    which nothing in a sandbox may change.
    """

    home: Path
    cwd: Path
    program: Path
    config_dir: Path
    user_home: Path
    others: Sequence[Path] = ()
    daemon: Sequence[Path] = ()


class SandboxView:
    """Mount points and what is there.

    `source` differs where a link leads elsewhere. `identity`: device and inode of the working directory, as
    `stat -c %d:%i` writes them, where it is its own mount. By its path another one may have been mounted, when somebody
    has put a link in its place meanwhile.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self.identity = ""
        self._mounts: dict[Path, tuple[How, Path]] = {}

    def add(self, path: Path, how: How, source: Path | None = None) -> None:
        self._mounts[path] = (how, source or path)

    def show(self, path: Path, how: Literal["read", "write"], real: Path | None = None) -> None:
        """The file or directory, and the name that it was given by when that leads there over links. real: where,
        when that is known."""
        real = real or path.resolve()
        self.add(real, how)
        if path != real and not self.shows(path.parent):
            self.add(path, how, real)

    def pin(self) -> None:
        """A directory between one that can be written and one in it that cannot becomes a mount, too.

        Otherwise a program could give it another name, and put a new one in its place.
        """
        for path, (how, _) in [*self._mounts.items()]:
            above = next((one for one in path.parents if one in self._mounts), None)
            if how in ("hidden", "read") and above is not None and self._mounts[above][0] == "write":
                for between in path.parents[: len(path.parts) - len(above.parts) - 1]:
                    self.add(between, "write")

    def shows(self, path: Path) -> bool:
        """Whether what is there can be read."""
        for place in (path, *path.parents):
            if place in self._mounts:
                return self._mounts[place][0] in ("read", "write")
            if str(place) in _SYSTEM:
                return True
        return self._kind == "standard"

    def arguments(self, tmp_size: int) -> list[str]:
        """For bubblewrap, in the order in which it is to mount."""
        made = ["--ro-bind", "/", "/"] if self._kind == "standard" else _system()
        made += ["--dev", "/dev", "--proc", "/proc"]
        closed = [] if self._kind == "standard" else ["--remount-ro", "/"]
        for path, (how, source) in sorted(self._mounts.items(), key=lambda mount: len(mount[0].parts)):
            if how == "temporary":
                made += ["--perms", "1777", "--size", str(tmp_size), "--tmpfs", str(path)]
            elif how == "hidden":
                made += ["--tmpfs", str(path)]
                closed += ["--remount-ro", str(path)]
            else:
                made += ["--bind" if how == "write" else "--ro-bind", str(source), str(path)]
        return [*made, *closed]


def _system() -> list[str]:
    made = []
    for name in _SYSTEM:
        path = Path(name)
        if path.is_symlink():
            made += ["--symlink", str(path.readlink()), name]
        elif path.is_dir():
            made += ["--ro-bind", name, name]
    return made


def view_of(kind: Kind, places: SandboxPaths, settings: SandboxSettings) -> SandboxView:
    """Raises `InvalidInput` for a working directory that no sandbox can have."""
    home, config_dir, user_home = places.home.resolve(), places.config_dir.resolve(), places.user_home.resolve()
    others = [other for other in {other.resolve() for other in places.others} if other != home]
    cwd, identity = _opened(places.cwd)
    daemon = [place.resolve() for place in places.daemon]
    _require_own(cwd, home, [config_dir, user_home, *others])
    _require_no_program(cwd, home, daemon)
    made = SandboxView(kind)
    made.add(Path("/tmp").resolve(), "temporary")  # noqa: S108 - the sandbox's own
    # Sockets of other services are there: a container engine's, a keyring's, the session bus.
    _hide(made, Path("/run").resolve())
    if user_home not in (home, _ROOT):
        _hide(made, user_home)
    for name in settings.visible if kind == "standard" else settings.strict_visible:
        _show_present(made, user_home / Path(name).expanduser())
    _show_present(made, Path("/etc/resolv.conf"))
    made.show(places.home, "write")
    if not cwd.is_relative_to(home):
        made.show(places.cwd, "write", cwd)
        made.identity = identity
    _show_program(made, places.program, [config_dir, user_home, home, *others])
    for path in daemon:
        if path.is_relative_to(home) or path.is_relative_to(cwd):
            made.add(path, "read")
    for path in sorted((config_dir, *others)):
        _hide(made, path)
    made.pin()
    return made


def _opened(directory: Path) -> tuple[Path, str]:
    """Where it really is, and its identity, both of one look at it. Raises `InvalidInput`."""
    try:
        descriptor = os.open(directory, os.O_PATH | os.O_DIRECTORY)
    except OSError as exc:
        raise _no_directory(f"The working directory {directory} cannot be opened: {exc.strerror}.") from None
    try:
        found = os.fstat(descriptor)
        return Path(f"/proc/self/fd/{descriptor}").readlink(), f"{found.st_dev}:{found.st_ino}"
    finally:
        os.close(descriptor)


def _hide(view: SandboxView, path: Path) -> None:
    if view.shows(path) and path.is_dir():
        view.add(path, "hidden")


def _show_present(view: SandboxView, path: Path) -> None:
    with contextlib.suppress(OSError):  # what the daemon must not look at is not shown either
        if path.exists() and not view.shows(path.resolve()):
            view.show(path, "read")


def _show_program(view: SandboxView, program: Path, protected: Iterable[Path]) -> None:
    """The agent's directory, since there may be more of it; where that holds what is hidden, the program alone."""
    if not program.is_absolute():
        return
    protected = list(protected)
    for path in {program, program.resolve()}:
        directory = path.parent
        whole = not any(place.is_relative_to(directory.resolve()) for place in protected)
        if not view.shows(path):
            view.show(directory if whole else path, "read")


def _require_own(cwd: Path, home: Path, protected: Sequence[Path]) -> None:
    if cwd.is_relative_to(home):
        return
    config_dir, user_home, *others = protected
    inside = any(cwd.is_relative_to(place) for place in (config_dir, *others))
    if cwd.is_relative_to(user_home) and cwd != user_home:
        # Keys are there, and what programs of the user's run or read at their start.
        first = cwd.relative_to(user_home).parts[0]
        inside = inside or first.startswith(".") or first == "bin"
    if inside or cwd == _ROOT or user_home.is_relative_to(cwd):
        raise _no_directory(f"The working directory {cwd} would show the agent what its sandbox must hide.")


def _require_no_program(cwd: Path, home: Path, daemon: Sequence[Path]) -> None:
    if cwd.is_relative_to(home):
        return
    system = [Path(name).resolve() for name in _NOWHERE_TO_WORK]
    if any(cwd.is_relative_to(place) for place in (*system, *daemon)):
        raise _no_directory(
            f"The working directory {cwd} belongs to the system or to Jackfield's own program, which a sandbox keeps "
            "from being changed."
        )


def _no_directory(message: str) -> InvalidInput:
    return InvalidInput(message, code="SANDBOX_DIRECTORY", details={"working_dir": "choose the directory of a project"})
