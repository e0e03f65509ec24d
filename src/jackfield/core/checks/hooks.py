"""Can the host call what a plugin's class marks as hooks?"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator
from types import FunctionType

from jackfield.api.hooks import PROJECT
from jackfield.api.similar_names import similar

_MARK = f"{PROJECT}_impl"
"""Attribute in which pluggy's marker keeps its options."""
_SIGNED = {"__wrapped__", "__signature__"}
"""Attributes that say how a function is called in place of its code."""


def defined(offered: type, name: str) -> object:
    """The attribute of the class or a base with this name, unbound; None: nothing.

    `inspect.getattr_static` looks at metaclasses and instances too, and takes ten times as long, thousands of times in
    a start.
    """
    return next((vars(base)[name] for base in offered.__mro__ if name in vars(base)), None)


def hook_mistakes(offered: type, known: Collection[str], absent: Collection[str] = ()) -> Iterator[str]:
    """One clause, with the remedy, per method that is wrong. known: the names of all hooks. absent: plugins that are
    disabled or failed. Hooks that begin with the name of one may be its own, and nobody calls them."""
    for attribute in dir(offered):
        member = defined(offered, attribute)
        options = getattr(member, _MARK, None)
        if options is None:
            if attribute in known and isinstance(member, FunctionType):
                yield f"{attribute} is a hook's name; mark the method with @hookimpl"
            continue
        name = options["specname"] or attribute
        if not isinstance(member, FunctionType):
            yield f"{attribute} is no method; write def {attribute}(self)"
        elif options["wrapper"] or options["hookwrapper"]:
            yield f"{attribute} is a hook wrapper, which the host does not call; give things of your own"
        elif name not in known:
            if not options["optionalhook"] and not name.startswith(tuple(f"{plugin}_" for plugin in absent)):
                yield f"{attribute}: there is no hook {name}{_remedy(name, known)}"
        elif (asked := _asked(member)) is not None:
            yield f"{attribute} asks for {asked}; hooks take self alone, and the context is self.context"


def _remedy(name: str, known: Collection[str]) -> str:
    close = similar(name, known)
    return f"; write {close[0]}" if close else "; the plugin that has it is not loaded, or it is misspelt"


def _asked(member: FunctionType) -> str | None:
    """The arguments that nobody would give; None: it can be called with self alone."""
    code = member.__code__
    if code.co_argcount == 1 and not code.co_kwonlyargcount and not vars(member).keys() & _SIGNED:
        return None  # as nearly all are
    signature = inspect.signature(member)
    try:
        signature.bind(None)
    except TypeError:
        return ", ".join(list(signature.parameters)[1:]) or "no self"
    return None
