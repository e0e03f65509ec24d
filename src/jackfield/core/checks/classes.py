"""Is the thing that an entry point names a plugin of this Jackfield?"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType

from jackfield.api.extensions import ExtensionPoint
from jackfield.api.plugin import Plugin, SettingsTable
from jackfield.api.version import API_VERSION

log = logging.getLogger("jackfield.plugins")
_VERSION = re.compile(r"(\d+)(?:\.(\d+))?\Z")


class RefusedClass(ValueError):
    """The thing cannot be used as a plugin. The message ends with the remedy."""


def check_class(name: str, value: str, offered: object) -> type[Plugin]:
    """name: of the entry point; value: its text. Raises `RefusedClass`."""
    if isinstance(offered, ModuleType):
        raise RefusedClass(
            f"the entry point names the module {value}; name a subclass of jackfield.api.plugin.Plugin in it, such as "
            f'{name} = "{value}:{_class_name(name)}"'
        )
    if not (isinstance(offered, type) and issubclass(offered, Plugin)):
        raise RefusedClass(f"{value} is no subclass of jackfield.api.plugin.Plugin; derive it from there")
    mistakes = [*_version_mistakes(value, offered), *_shape_mistakes(offered)]
    if offered.name and offered.name != name:
        mistakes.append(f'{value} has the name {offered.name}; set name = "{name}", as the entry point says')
    if mistakes:
        raise RefusedClass("; ".join(mistakes))
    return offered


def _shape_mistakes(offered: type[Plugin]) -> Iterator[str]:
    """One clause per class attribute that the host could not read."""
    for attribute, wanted in (
        ("settings", SettingsTable),
        ("commands", str),
        ("parts", str),
        ("extension_points", ExtensionPoint),
    ):
        things: object = getattr(offered, attribute)
        if isinstance(things, str) or not isinstance(things, Sequence):
            yield f"{attribute} is no sequence; write {attribute} = (...,), with a comma behind a single thing"
        elif not all(isinstance(thing, wanted) for thing in things):
            yield f"{attribute} holds something that is no {wanted.__name__}"
    provides: object = offered.provides
    if not isinstance(provides, Mapping):
        yield "provides is no mapping; write provides = {Port: 'package.module:name'}"
    elif not all(isinstance(key, type | str) and isinstance(reference, str) for key, reference in provides.items()):
        yield "provides holds something else than a port and the object reference of what makes it"


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
        old = f"{value} was written for plugin API {offered.requires}; this Jackfield has {here}."
        log.warning("%s", old)
        warnings.warn(old, DeprecationWarning, stacklevel=2)
