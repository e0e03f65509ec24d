"""Is the thing that an entry point names a plugin of this Jackfield?"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
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
    mistakes = list(_version_mistakes(value, offered))
    if offered.name and offered.name != name:
        mistakes.append(f'{value} has the name {offered.name}; set name = "{name}", as the entry point says')
    if mistakes:
        raise Refused("; ".join(mistakes))
    return offered


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"\W|_", name)) + "Plugin"


def _version_mistakes(value: str, offered: type[Plugin]) -> Iterator[str]:
    """Warns of a plugin that was written for an older API."""
    here = ".".join(map(str, API_VERSION))
    match = _VERSION.match(str(offered.requires))
    if match is None:
        yield f'{value} has requires = {offered.requires!r}; write the API version, such as "{API_VERSION[0]}"'
        return
    wanted = int(match[1]), int(match[2] or 0)
    if wanted > API_VERSION:
        yield f"{value} needs plugin API {offered.requires} and this Jackfield has {here}; upgrade Jackfield"
    elif wanted[0] < API_VERSION[0]:
        warnings.warn(
            f"{value} was written for plugin API {offered.requires}; this Jackfield has {here}.",
            DeprecationWarning,
            stacklevel=2,
        )
