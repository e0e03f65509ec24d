"""Which webhook a path and a method lead to: static segments before parameters, with a way back from dead ends.

The table is changed without an `await` in between, so that every reader sees it whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from jackfield.api.records import state
from jackfield.api.storage import Webhook
from jackfield_webhooks import paths


@state
class Route:
    """One registration that is served. Made anew whenever its workflow changes."""

    webhook: Webhook
    names: tuple[tuple[int, str], ...]
    """Position and name of each parameter."""

    @property
    def pattern(self) -> str:
        return self.webhook.pattern or paths.pattern(self.webhook.path)

    @property
    def rank(self) -> tuple[bool, int, str]:
        """The least one serves a path that several want: one that nobody else may have, else the oldest."""
        return not self.webhook.pattern, self.webhook.created_at, self.webhook.id


@state
class RouteLeaf:
    """Everything that is registered for one pattern."""

    live: dict[str, Route] = field(default_factory=dict)
    """Method -> the live registration."""
    saved: dict[str, list[Route]] = field(default_factory=dict)
    """Method -> every registration, live or not."""

    def add(self, route: Route) -> None:
        method = route.webhook.method
        self.saved.setdefault(method, []).append(route)
        self._choose(method)

    def remove(self, route: Route) -> None:
        method = route.webhook.method
        left = [other for other in self.saved[method] if other is not route]
        if left:
            self.saved[method] = left
        else:
            del self.saved[method]
        self._choose(method)

    def has(self, route: Route) -> bool:
        return any(other is route for other in self.saved.get(route.webhook.method, ()))

    def _choose(self, method: str) -> None:
        active = [route for route in self.saved.get(method, ()) if route.webhook.active]
        if active:
            self.live[method] = min(active, key=lambda route: route.rank)
        else:
            self.live.pop(method, None)


@state
class _Branch:
    below: dict[str, _Branch] = field(default_factory=dict)
    parameter: _Branch | None = None
    leaf: RouteLeaf | None = None

    def child(self, segment: str) -> _Branch | None:
        return self.parameter if segment == ":" else self.below.get(segment)

    def grow(self, segment: str) -> _Branch:
        if segment != ":":
            return self.below.setdefault(segment, _Branch())
        if self.parameter is None:
            self.parameter = _Branch()
        return self.parameter

    def cut(self, segment: str) -> None:
        if segment == ":":
            self.parameter = None
        else:
            del self.below[segment]

    def bare(self) -> bool:
        return self.leaf is None and self.parameter is None and not self.below


class RouteTable:
    """The routes of all saved workflows."""

    def __init__(self) -> None:
        self._root = _Branch()
        self._static: dict[str, RouteLeaf] = {}
        self._routes: dict[str, list[Route]] = {}

    def replace(self, workflow_id: str, webhooks: Sequence[Webhook]) -> None:
        """Serve these registrations, and no others, of this workflow."""
        for route in self._routes.pop(workflow_id, ()):
            self._remove(route)
        routes = [Route(webhook, paths.parameter_names(webhook.path)) for webhook in webhooks]
        if routes:
            self._routes[workflow_id] = routes
        for route in routes:
            self._add(route)

    def routes(self, workflow_id: str) -> Sequence[Route]:
        return self._routes.get(workflow_id, ())

    def lost(self, workflow_id: str) -> Iterator[tuple[Route, Route]]:
        """Its active routes that others serve, and those others."""
        for route in self.routes(workflow_id):
            leaf = next((leaf for leaf in self.candidates(paths.split(route.pattern)) if leaf.has(route)), None)
            holder = leaf.live.get(route.webhook.method) if leaf is not None else None
            if route.webhook.active and holder is not None and holder is not route:
                yield route, holder

    def static(self, path: str) -> RouteLeaf | None:
        """The leaf of a path that is registered as it stands; it beats every other."""
        return self._static.get(path)

    def candidates(self, segments: Sequence[str]) -> Iterator[RouteLeaf]:
        """Every leaf that the segments lead to, the most specific first."""
        return _walk(self._root, segments, 0)

    def _add(self, route: Route) -> None:
        pattern = route.pattern
        branch = self._root
        for segment in paths.split(pattern):
            branch = branch.grow(segment)
        if branch.leaf is None:
            branch.leaf = RouteLeaf()
        branch.leaf.add(route)
        if not route.names:
            self._static[pattern] = branch.leaf

    def _remove(self, route: Route) -> None:
        pattern = route.pattern
        segments = paths.split(pattern)
        trail = [self._root]
        for segment in segments:
            trail.append(trail[-1].grow(segment))
        leaf = trail[-1].leaf
        if leaf is None:
            return
        leaf.remove(route)
        if leaf.saved:
            return
        trail[-1].leaf = None
        self._static.pop(pattern, None)
        for parent, segment, child in zip(trail[-2::-1], segments[::-1], trail[:0:-1], strict=True):
            if not child.bare():
                return
            parent.cut(segment)


def _walk(branch: _Branch, segments: Sequence[str], at: int) -> Iterator[RouteLeaf]:
    if at == len(segments):
        if branch.leaf is not None:
            yield branch.leaf
        return
    segment = segments[at]
    static = branch.below.get(segment)
    if static is not None:
        yield from _walk(static, segments, at + 1)
    if branch.parameter is not None and segment:
        yield from _walk(branch.parameter, segments, at + 1)
