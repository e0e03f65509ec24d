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


def operation_of(app: Quart, endpoint: str) -> Operation | None:
    """What the view says about itself."""
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


def stranger_mistakes(blueprint: Blueprint, present: Quart) -> list[str]:
    """The same for one blueprint that is not registered yet, beside what `present` serves."""
    trial = Quart("trial", static_folder=None, template_folder=None)
    trial.url_map.merge_slashes = False
    trial.url_map.converters.update(present.url_map.converters)
    trial.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    try:
        trial.register_blueprint(blueprint)
    except Exception as exc:
        return [f"The blueprint {getattr(blueprint, 'name', blueprint)} cannot be registered: {exc}."]
    if blueprint.name in present.blueprints:
        return [f"The blueprint {blueprint.name} exists already; name yours otherwise."]
    served: Served = {}
    list(mistakes(present, served))
    return list(mistakes(trial, served))
