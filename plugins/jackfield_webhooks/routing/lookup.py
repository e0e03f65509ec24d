"""From a call to its webhook: unknown 404, inactive 503, wrong method 405, in this order."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.errors import MethodNotAllowed, NotFound, WorkflowInactive
from jackfield_webhooks import paths
from jackfield_webhooks.routing.table import Route, RouteLeaf, RouteTable

MAX_SEGMENTS = 64
"""A path with more of them is unknown: the search goes down one call per segment."""


class WrongMethod(MethodNotAllowed):
    """The path is live, the method is not. Carries a route that the refusal is counted for."""

    def __init__(self, route: Route, allowed: set[str]) -> None:
        names = sorted(allowed)
        super().__init__(names, f"This webhook accepts {' and '.join(names)} only.")
        self.route = route


def leaves(table: RouteTable, called: str | tuple[str, ...]) -> list[RouteLeaf]:
    """Every leaf that fits, the most specific first. Raises `NotFound`."""
    segments = called if isinstance(called, tuple) else paths.split(called)
    found = list(table.candidates(segments)) if 0 < len(segments) <= MAX_SEGMENTS else []
    if not found:
        raise NotFound("No webhook is registered for this path.")
    return found


def find_live(table: RouteTable, called: str | tuple[str, ...], method: str) -> Route:
    """The live webhook. Raises `NotFound`, `WorkflowInactive`, `WrongMethod`."""
    if isinstance(called, str):
        leaf = table.static(called)
        route = leaf.live.get(method) if leaf is not None else None
        if route is not None:
            return route
    found = leaves(table, called)
    for leaf in found:
        route = leaf.live.get(method)
        if route is not None:
            return route
    live = [leaf for leaf in found if leaf.live]
    if not live or any(method in leaf.saved for leaf in found):
        raise WorkflowInactive
    raise WrongMethod(next(iter(live[0].live.values())), {name for leaf in live for name in leaf.live})


def find_saved(table: RouteTable, called: str | tuple[str, ...], method: str) -> Sequence[Route]:
    """The registrations of the most specific leaf that knows the method: the live one, else all. For test calls.
    Raises `NotFound`, `WrongMethod`."""
    found = leaves(table, called)
    for leaf in found:
        if method in leaf.live:
            return [leaf.live[method]]
        if method in leaf.saved:
            return leaf.saved[method]
    anyone = next(iter(found[0].saved.values()))[0]
    raise WrongMethod(anyone, {name for leaf in found for name in leaf.saved})


def live_routes(table: RouteTable, called: str | tuple[str, ...]) -> dict[str, Route]:
    """Method -> live route, for a preflight. Raises `NotFound`, `WorkflowInactive`."""
    live: dict[str, Route] = {}
    for leaf in leaves(table, called):
        for method, route in leaf.live.items():
            live.setdefault(method, route)
    if not live:
        raise WorkflowInactive
    return live


def saved_routes(table: RouteTable, called: str | tuple[str, ...]) -> dict[str, Route]:
    """The same for a test call: method -> route, live or not."""
    saved: dict[str, Route] = {}
    for leaf in leaves(table, called):
        for method, routes in leaf.saved.items():
            saved.setdefault(method, leaf.live.get(method, routes[0]))
    return saved


def parameters(route: Route, called: str | tuple[str, ...]) -> dict[str, str]:
    """The values of the route's parameters in this path."""
    segments = called if isinstance(called, tuple) else paths.split(called)
    return {name: segments[at] for at, name in route.names}
