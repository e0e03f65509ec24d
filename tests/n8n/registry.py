"""Every family that is compared, by modules in the order of their names."""

from __future__ import annotations

import importlib
import pkgutil

from . import families
from .cases import Family


def _of_modules() -> tuple[Family, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(families.__path__))
    modules = [importlib.import_module(f"{families.__name__}.{name}") for name in names]
    return tuple(family for module in modules for family in module.FAMILIES)


FAMILIES = _of_modules()
