"""When the fields of a form are shown: by resource and operation, and by the variant of an operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.nodes.forms import NodeField, When
from jackfield_vendors.described.description import DescribedOperation

Place = tuple[str, str]
"""Resource and operation."""


def placed_fields(field: NodeField, places: Sequence[Place], known: Sequence[Place]) -> Iterator[NodeField]:
    """The field with the places where it is shown, as often as it takes to say that. known: all there are."""
    for group in _products(places, set(known)):
        show = _show(group, known)
        yield field.model_copy(update={"when": both(When(show=show), field.when)}) if show else field


def _products(places: Sequence[Place], known: set[Place]) -> list[list[Place]]:
    """The places as groups; each has all known places of its resources with its operations."""
    by_resource: dict[str, set[str]] = {}
    for resource, operation in places:
        by_resource.setdefault(resource, set()).add(operation)
    groups: list[tuple[set[str], set[str]]] = []
    for resource, operations in by_resource.items():
        for resources, others in groups:
            wanted = {(r, o) for r in (*resources, resource) for o in (*others, *operations)} & known
            if wanted <= set(places):
                resources.add(resource)
                others |= operations
                break
        else:
            groups.append(({resource}, set(operations)))
    return [[place for place in places if place[0] in resources] for resources, _ in groups]


def _show(places: Sequence[Place], known: Sequence[Place]) -> dict[str, list[Json]]:
    """`places` of all the known ones as a condition. It may hold for no other place."""
    if len(places) == len(known):
        return {}
    resources = list(dict.fromkeys(resource for resource, _ in places))
    operations = list(dict.fromkeys(operation for _, operation in places))
    show: dict[str, list[Json]] = {}
    if resources != [""] and {resource for resource, _ in known} != set(resources):
        show["resource"] = [*resources]
    whole = {place for place in known if place[0] in resources}
    if whole != set(places):
        show["operation"] = [*operations]
    return show


def both(one: When | None, other: When | None) -> When | None:
    """Where both hold. Of two lists of values for one key, those that both have."""
    if one is None or other is None:
        return one or other
    show = dict(one.show)
    for name, wanted in other.show.items():
        show[name] = [value for value in show[name] if value in wanted] if name in show else wanted
    return When(show=show, hide={**one.hide, **other.hide})


def pruned(field: NodeField, beside: set[str], top: set[str]) -> NodeField:
    """The field without conditions on what the form does not have: n8n's nodes have more than a description reads."""
    changes: dict[str, object] = {}
    if field.when is not None and (when := _known(field.when, beside, top)) != field.when:
        changes["when"] = when
    if fields := _inner(field.fields, top):
        changes["fields"] = fields
    if groups := [
        group.model_copy(update={"fields": inner}) if (inner := _inner(group.fields, top)) else group
        for group in field.groups
    ]:
        changes["groups"] = groups
    return field.model_copy(update=changes) if changes else field


def _inner(fields: Sequence[NodeField], top: set[str]) -> list[NodeField]:
    names = {field.name for field in fields}
    return [pruned(field, names, top) for field in fields]


def _known(when: When, beside: set[str], top: set[str]) -> When | None:
    def there(name: str) -> bool:
        return name == "@version" or name.removeprefix("/").split(".")[0] in (top if name[0] == "/" else beside)

    show = {name: wanted for name, wanted in when.show.items() if there(name)}
    hide = {name: wanted for name, wanted in when.hide.items() if there(name)}
    return When(show=show, hide=hide) if show or hide else None


def variant_conditions(
    having: Sequence[DescribedOperation], variants: Sequence[DescribedOperation]
) -> list[When | None]:
    """When one of these variants is the chosen one, which is the first whose `when` holds. A variant behind one that
    asks for several values at once is not told from it."""
    found: list[When | None] = []
    for one in having:
        show: dict[str, list[Json]] = {name: _values(wanted) for name, wanted in one.when.items()}
        hide: dict[str, list[Json]] = {}
        for earlier in variants[: _place(one, variants)]:
            if len(earlier.when) == 1 and earlier not in having:
                name, wanted = next(iter(earlier.when.items()))
                if name not in show:
                    hide[name] = [*hide.get(name, []), *_values(wanted)]
        found.append(When(show=show, hide=hide) if show or hide else None)
    return found if None not in found else [None]


def _place(one: DescribedOperation, variants: Sequence[DescribedOperation]) -> int:
    return next(index for index, variant in enumerate(variants) if variant is one)


def _values(wanted: object) -> list[Json]:
    return list(wanted) if isinstance(wanted, list) else [wanted]  # type: ignore[list-item]  # scalars are JSON
