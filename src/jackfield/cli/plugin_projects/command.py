"""The work of `jackfield plugins new`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.core.building import settings_tables
from jackfield.core.kernel import Kernel
from jackfield.core.plugins import PluginHost
from jackfield.core.redaction import Redactor
from jackfield.core.settings import load

from .kinds import KINDS
from .making import MadeProject, ProjectWish, make_project
from .names import checked_names


def make(kind: str, name: str, *, directory: Path | None, license: str, author: str | None) -> MadeProject:
    """See the command. Raises `ConfigurationError` for a name or an author that does not fit, `Conflict` for a
    directory that holds something."""
    names = checked_names(name)
    if KINDS[kind].has_node and _has_node(names.camel):
        raise ConfigurationError(f"NAME: there is a node type {names.camel} already; choose another name.")
    place = directory or Path(names.distribution)
    wish = ProjectWish(kind, names, place, license, author or f"The authors of {names.distribution}")
    return make_project(wish)


def _has_node(kind: str) -> bool:
    """Among what is installed, whichever of it a configuration turns off."""
    host = PluginHost()
    host.discover()
    with tempfile.TemporaryDirectory(prefix="jackfield-new-") as place:
        kernel = Kernel(Path(place), host, load(settings_tables(host), {}, {}, {}), Redactor())
        kernel.assemble()
        return kernel.nodes.find(kind) is not None
