"""Are the routes of a blueprint described, asynchronous, and free?

Jackfield's own routes are checked once, all together: a mistake there is a defect of the release. A stranger's are
tried by themselves first, so that a mistake leaves out that plugin's blueprint and nothing else.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from quart import Blueprint, Quart

from jackfield.api.http import Operation

Served = dict[tuple[str, str], str]
"""(rule, method) -> endpoint."""
_ROUTE = ".add_url_rule.<locals>.<lambda>"
"""Name of the function in which a blueprint keeps a route."""


def operation_of(app: Quart, endpoint: str) -> Operation | None:
    """The view's description of itself."""
    found = getattr(app.view_functions[endpoint], "jackfield_operation", None)
    return found if isinstance(found, Operation) else None


def mistakes(app: Quart, served: Served) -> Iterator[str]:
    """One sentence per route of `app` that is wrong, or that `served` has already. Those of `app` are added to
    `served`."""
    for rule in app.url_map.iter_rules():
        if operation_of(app, rule.endpoint) is None:
            yield f"The route {rule.rule} has no @operation."
        if not inspect.iscoroutinefunction(app.view_functions[rule.endpoint]):
            yield f"The view of {rule.rule} must be async."
        for method in rule.methods or ():
            if (rule.rule, method) in served and method not in ("HEAD", "OPTIONS"):
                yield f"{method} {rule.rule} is given by {served[rule.rule, method]} and {rule.endpoint}."
            served[rule.rule, method] = rule.endpoint


def _reaches(blueprint: Blueprint) -> Iterator[str]:
    """One sentence per thing that the blueprint would do to the application, beside its own routes. Blueprints keep
    both as functions to be called later; those of `add_url_rule` alone are routes."""
    for deferred in blueprint.deferred_functions:
        module, name = getattr(deferred, "__module__", ""), getattr(deferred, "__qualname__", "")
        if module.partition(".")[0] not in ("quart", "flask"):
            yield f"The blueprint {blueprint.name} has a function for record(); give routes and its own functions."
        elif not name.endswith(_ROUTE):
            used = name.partition(".<locals>")[0].rpartition(".")[2]
            yield (
                f"The blueprint {blueprint.name} uses {used}, which is for the whole API; use the function for the "
                f"blueprint alone, such as {used.replace('_app_', '_').removeprefix('app_')}."
            )
    for nested, _ in blueprint._blueprints:
        if isinstance(nested, Blueprint):
            yield from _reaches(nested)
        else:
            yield f"The blueprint {blueprint.name} holds one that is not Quart's; make it with quart.Blueprint."


def stranger_mistakes(blueprint: Blueprint, present: Quart) -> list[str]:
    """The same for one blueprint that is not registered yet, beside what `present` serves."""
    if found := list(_reaches(blueprint)):
        return found
    probe = Quart("probe", static_folder=None, template_folder=None)
    probe.url_map.merge_slashes = False
    probe.url_map.converters.update(present.url_map.converters)
    probe.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    try:
        probe.register_blueprint(blueprint)
    except Exception as exc:
        return [f"The blueprint {getattr(blueprint, 'name', blueprint)} cannot be registered: {exc}."]
    if blueprint.name in present.blueprints:
        return [f"The blueprint {blueprint.name} exists already; name yours otherwise."]
    served: Served = {}
    list(mistakes(present, served))
    return list(mistakes(probe, served))
