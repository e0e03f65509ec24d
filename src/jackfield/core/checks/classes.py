"""Is the thing that an entry point names a plugin of this Jackfield?"""

from __future__ import annotations

import re
import warnings
from types import ModuleType

from jackfield.api.plugin import Plugin
from jackfield.api.version import API_VERSION

_VERSION = re.compile(r"(\d+)(?:\.(\d+))?\Z")


class Refused(ValueError):
    """The thing cannot be used as a plugin. The message ends with the remedy."""


def check_class(name: str, value: str, offered: object) -> type[Plugin]:
    """name: of the entry point; value: its text. Raises `Refused`."""
    if isinstance(offered, ModuleType):
        raise Refused(
            f"the entry point names the module {value}; name a subclass of jackfield.api.plugin.Plugin in it, such as "
            f'{name} = "{value}:{_class_name(name)}"'
        )
    if not (isinstance(offered, type) and issubclass(offered, Plugin)):
        raise Refused(f"{value} is no subclass of jackfield.api.plugin.Plugin; derive it from there")
    if offered.name and offered.name != name:
        raise Refused(f'{value} has the name {offered.name}; set name = "{name}", as the entry point says')
    _check_version(value, offered)
    return offered


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"\W|_", name)) + "Plugin"


def _check_version(value: str, offered: type[Plugin]) -> None:
    match = _VERSION.match(str(offered.requires))
    if match is None:
        raise Refused(f'{value} has requires = {offered.requires!r}; write the API version, such as "{API_VERSION[0]}"')
    wanted = int(match[1]), int(match[2] or 0)
    here = ".".join(map(str, API_VERSION))
    if wanted > API_VERSION:
        raise Refused(f"{value} needs plugin API {offered.requires} and this Jackfield has {here}; upgrade Jackfield")
    if wanted[0] < API_VERSION[0]:
        warnings.warn(
            f"{value} was written for plugin API {offered.requires}; this Jackfield has {here}.",
            DeprecationWarning,
            stacklevel=2,
        )
