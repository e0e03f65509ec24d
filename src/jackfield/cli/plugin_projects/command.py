"""The work of `jackfield plugins new`."""

from __future__ import annotations

import logging
import os
import shutil
import sysconfig
import tempfile
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.records import replace
from jackfield.cli.plugin_check import refusals
from jackfield.core.manifests import shipped_directory

from .kinds import KINDS
from .making import MadeProject, ProjectWish, make_project, refuse_wish
from .names import ProjectNames, checked_names


def make(kind: str, name: str, *, directory: Path | None, license: str, author: str | None) -> MadeProject:
    """See the command. Raises `ConfigurationError` for a name or an author that does not fit, `Conflict` for a
    directory that holds something."""
    names = checked_names(name)
    place = directory or Path(names.distribution)
    wish = ProjectWish(kind, names, place, license, author or f"The authors of {names.distribution}")
    refuse_wish(wish)
    if KINDS[kind].has_program:
        _refuse_program(names)
    _refuse_taken(wish)
    return make_project(wish)


def _refuse_program(names: ProjectNames) -> None:
    """An installation would put the program over one of the same name, such as the interpreter itself."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    if (program := shutil.which(names.slug, path=path)) is not None:
        raise ConfigurationError(f"NAME: the program {names.slug} is there already, {program}; choose another name.")
    if (shipped_directory() / "agents" / f"{names.slug}.toml").is_file():
        raise ConfigurationError(f"NAME: Jackfield comes with an agent {names.slug}; choose another name.")


def _refuse_taken(wish: ProjectWish) -> None:
    """A trial beside all that is installed, also the parts that a configuration turns off.

    A settings table, a node type or a preset of this name may be there.
    """
    logging.getLogger("jackfield").addHandler(logging.NullHandler())  # the mistake is told once, below
    with tempfile.TemporaryDirectory(prefix="jackfield-new-") as place:
        trial = make_project(replace(wish, directory=Path(place, "project")))
        found = refusals(trial.directory)
    if found:
        told = f"NAME: Jackfield refuses a plugin of the kind {wish.kind} with the name {wish.names.slug}"
        raise ConfigurationError(f"{told}: {found[0]}. Choose another name.")
