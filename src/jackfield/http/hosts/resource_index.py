"""Which resource of the hosts a path names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.hosts import HostResources, Place


class ResourceIndex:
    """Resources by what names them."""

    def __init__(self, resources: Sequence[HostResources]) -> None:
        self.kinds: Mapping[str, HostResources] = {resource.kind: resource for resource in resources}
        self.lists = {path for resource in resources for path in resource.lists}
        self.everywhere = {path for resource in resources for path in resource.everywhere}
        self.joins = {path: join for resource in resources for path, join in resource.joins.items()}
        self.heeded = {path: names for resource in resources for path, names in resource.heeded.items()}
        self.standing = {path: one.stand_in for one in resources if one.stand_in for path in one.stands_in}
        self.makes = {path: resource for resource in resources for path in resource.makes}
        self.starts = {path: resource for resource in resources for path in resource.starts}
        self._paths = sorted(
            ((path + "/", resource) for resource in resources for path in resource.paths),
            key=lambda pair: -len(pair[0]),
        )

    def find(self, path: str) -> tuple[str, str] | None:
        """Kind and name of what the path names."""
        found = self._named(path)
        return None if found is None else (found[0].kind, found[1])

    def placed(self, path: str) -> tuple[Place, str] | None:
        """The resources that say which host takes a request there, and the name of the thing."""
        found = self._named(path)
        if found is None:
            return None
        resource, name, more = found
        place = resource.places.get(more)
        return None if place is None else (place, name)

    def _named(self, path: str) -> tuple[HostResources, str, str] | None:
        """The name, and what stands behind it."""
        for prefix, resource in self._paths:
            if path.startswith(prefix):
                name, _, more = path[len(prefix) :].partition("/")
                if name not in resource.words:
                    return (resource, name, more) if name else None
        return None
