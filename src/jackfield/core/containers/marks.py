"""The mark of a container: in the environment of its processes, and in the name of its control group."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from jackfield.api.records import record

from .processes import space_of, start_of

VARIABLE = "JACKFIELD_CONTAINER"
PREFIX = "jackfield."
"""Of a control group's name, before the mark."""
_TEXT = re.compile(r"([0-9a-f]{12})\.(0|[0-9]+-[0-9]+-[0-9]+)\.([A-Za-z0-9_-]{1,80})")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")


@record
class Owner:
    """The process that opened a container. started: clock ticks from the system's start to its own; space: the name
    space that `pid` counts in."""

    pid: int
    started: int
    space: int

    def is_gone(self) -> bool:
        """False also when nobody can know it from here."""
        return self.space == space_of() and start_of(self.pid) != self.started


@record
class ContainerMark:
    """instance: of the configuration directory. owner: None: the container outlives whoever opened it."""

    instance: str
    owner: Owner | None
    name: str

    @property
    def text(self) -> str:
        owner = "0" if self.owner is None else f"{self.owner.pid}-{self.owner.started}-{self.owner.space}"
        return f"{self.instance}.{owner}.{self.name}"


def instance_of(config_dir: Path) -> str:
    return hashlib.sha256(os.fsencode(config_dir.resolve())).hexdigest()[:12]


def ourselves() -> Owner:
    """This process."""
    return Owner(os.getpid(), start_of(os.getpid()) or 0, space_of())


def checked(name: str) -> str:
    """Raises `ValueError`."""
    if not _NAME.fullmatch(name):
        raise ValueError("a container's name has letters, digits, _ and -, at most 80")
    return name


def mark_of(text: str) -> ContainerMark | None:
    """None: it is no mark."""
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    instance, owner, name = found.groups()
    return ContainerMark(instance, None if owner == "0" else Owner(*map(int, owner.split("-"))), name)
