"""Aliases of models: names, and globs such as `claude-*`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from jackfield_proxy.plan import Target

_WILD = re.compile(r"[*?\[]").search


def is_wild(name: str) -> bool:
    return _WILD(name) is not None


def aliased(aliases: Mapping[str, Target], model: str) -> tuple[str, Target] | None:
    """The alias that counts, and its target. A name comes before globs; of several globs the one that says most of the
    name, the first as written among equals. `*` in the target stands for what the first `*` of the alias has met."""
    exact = aliases.get(model)
    if exact is not None:
        return model, exact
    met = [name for name in aliases if is_wild(name) and fnmatchcase(model, name)]
    if not met:
        return None
    found = max(met, key=lambda name: len(name) - name.count("*"))
    target = aliases[found]
    if "*" not in target.model:
        return found, target
    return found, Target(target.provider, target.model.replace("*", _met(found, model)))


def _met(alias: str, model: str) -> str:
    """By the first `*`; all the model where the alias has other wildcards."""
    before, star, after = alias.partition("*")
    if not star or is_wild(before) or is_wild(after):
        return model
    return model[len(before) : len(model) - len(after)]
