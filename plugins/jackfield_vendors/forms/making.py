"""The form of a node that a description makes: the parameters of all operations in one flat list per version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jackfield.api.nodes.forms import FieldChoice, NodeField, When
from jackfield.api.records import record
from jackfield_vendors.described.description import DescribedNode, DescribedOperation, DocumentShape, Parameter
from jackfield_vendors.forms.conditions import Place, placed_fields, pruned, variant_conditions
from jackfield_vendors.forms.fields import FieldMaker
from jackfield_vendors.forms.reads import OperationReads, TemplateRead
from jackfield_vendors.forms.words import FormWords

_LAST = ("options", "otherOptions", "additionalFields", "additionalOptions", "additionalParameters")
"""Collections that close a form."""


@record
class FormSource:
    """The parts of which forms are made.

    `operations`: of all versions. `shapes`: see `DocumentShape`. `questions`: for operations that ask, the parameters
    that count instead of `shapes`.
    """

    node: DescribedNode
    operations: Sequence[DescribedOperation]
    values: Mapping[str, str]
    shapes: Mapping[str, Sequence[DocumentShape]]
    questions: Mapping[Place, Mapping[str, Sequence[DocumentShape]]]


class _Merged:
    """One field and the operations that have it."""

    def __init__(self, field: NodeField) -> None:
        self.field = field
        self.places: list[Place] = []


class NodeFormMaker:
    """Makes the fields of one node's versions."""

    def __init__(self, source: FormSource, words: FormWords, fields: FieldMaker) -> None:
        self._source = source
        self._words = words
        self._fields = fields
        self._shaped: dict[tuple[int, str], NodeField] = {}
        """By the shape's id and the parameter's text; the same shape serves many operations."""
        self._reads: dict[tuple[int, ...], OperationReads] = {}
        """By the ids of an operation's variants."""
        self._without_effect: dict[tuple[int, frozenset[str]], tuple[NodeField, NodeField]] = {}
        """By the field's id and the names of its children that nothing reads; with the field, so that its id stays."""
        rows = (row.name for one in source.operations for row in one.parameters)
        known = {*rows, *(row.name for row in source.node.parameters)}
        asked = dict.fromkeys(name for shapes in source.questions.values() for name in shapes)
        self._order = {name: place for place, name in enumerate({**source.shapes, **asked})}
        """Shapes stand in the order of the form; a parameter without one comes first."""
        self._beside = [name for name in source.shapes if name not in known]
        """The parameters that only the shapes name."""

    def made(self, version: float) -> list[NodeField]:
        """The fields of this version: resource, operation, then the parameters."""
        fitting = [one for one in self._source.operations if _fits(one, version)]
        places: dict[Place, list[DescribedOperation]] = {}
        for one in fitting:
            places.setdefault((one.resource, one.operation), []).append(one)
        merged = self._merged(places, version)
        known = list(places)
        shared = {row.name for row in self._source.node.parameters}
        first = [one for one in merged if one.field.name in shared]
        rest = [one for one in merged if one.field.name not in shared]
        made = [
            *(field for one in first for field in placed_fields(one.field, one.places, known)),
            *self._selects(places, version),
            *(field for one in rest for field in placed_fields(one.field, one.places, known)),
        ]
        names = {field.name for field in made}
        return [pruned(field, names, names) for field in made]

    def _selects(self, places: Mapping[Place, Sequence[DescribedOperation]], version: float) -> Iterator[NodeField]:
        resources: dict[str, list[Place]] = {}
        for place in places:
            resources.setdefault(place[0], []).append(place)
        default = self._source.node.resources.get(f"{version:g}", self._source.node.resource)
        if set(resources) != {""}:
            choices = [
                FieldChoice(
                    value=name,
                    label=self._words.value(name),
                    unavailable=_unavailable({place: places[place] for place in mine}),
                )
                for name, mine in resources.items()
                if name
            ]
            yield NodeField(
                name="resource",
                control="select",
                label=self._words.label("resource"),
                help=self._words.help.get("resource", ""),
                default=default,
                expression=False,
                choices=choices,
            )
        for resource, mine in resources.items():
            if all(not operation for _, operation in mine):
                continue
            choices = self._distinct([self._choice(place, places[place]) for place in mine if place[1]])
            wanted = self._source.node.first_operations(version).get(resource, "")
            yield NodeField(
                name="operation",
                control="select",
                label=self._words.label("operation"),
                help=self._words.help.get("operation", ""),
                default=wanted if any(choice.value == wanted for choice in choices) else "",
                expression=False,
                choices=choices,
                when=When(show={"resource": [resource]}) if resource and len(resources) > 1 else None,
            )

    def _choice(self, place: Place, variants: Sequence[DescribedOperation]) -> FieldChoice:
        one = variants[-1]
        word = self._words.value(place[1])
        label = word if one.title in ("", place[1]) or "also" in one.model_fields_set else one.title
        return FieldChoice(value=place[1], label=label, unavailable=_unavailable({place: variants}))

    def _distinct(self, choices: Sequence[FieldChoice]) -> list[FieldChoice]:
        """The names of two operations of one title keep them apart."""
        said: list[FieldChoice] = []
        for choice in choices:
            again = any(choice.label == before.label for before in said)
            label = f"{choice.label} ({self._words.value(choice.value).lower()})"
            said.append(choice.model_copy(update={"label": label}) if again else choice)
        return said

    def _merged(self, places: Mapping[Place, Sequence[DescribedOperation]], version: float) -> list[_Merged]:
        found: dict[str, _Merged] = {}
        order: list[_Merged] = []
        for place, variants in places.items():
            at = -1
            for field in self._of_operation(place, variants, version):
                key = field.model_dump_json(exclude_defaults=True)
                one = found.get(key)
                if one is None:
                    one = found[key] = _Merged(field)
                    order.insert(at + 1, one)
                    at += 1
                else:
                    at = max(at, order.index(one))
                if place not in one.places:
                    one.places.append(place)
        return sorted(order, key=lambda one: self._rank(one.field.name))

    def _of_operation(
        self, place: Place, variants: Sequence[DescribedOperation], version: float
    ) -> Iterator[NodeField]:
        """The fields of all variants of one operation, still without the operation."""
        rows: dict[str, list[tuple[Parameter, DescribedOperation]]] = {}
        named = [name for name, value in zip(("resource", "operation"), place, strict=True) if value]
        for row in self._source.node.parameters:
            rows[row.name] = [(row, one) for one in variants]
        for one in variants:
            for row in one.parameters:
                if row.name not in named:
                    rows.setdefault(row.name, []).append((row, one))
        for name in (one for one in self._beside if one not in named):
            rows.setdefault(name, [(Parameter(name=name), one) for one in variants])
        reads = self._read(set(rows), variants)
        choosing = {name.split(".")[0] for one in variants for name in one.when}
        for name, listed in sorted(rows.items(), key=lambda entry: self._rank(entry[0])):
            row = _joined([row for row, _ in listed])
            read = reads.top.parts.get(name, TemplateRead())
            if (shaped := self._shapes(row, place, version)) or name in self._beside:
                known = variants[-1].unavailable or name not in reads.top.parts
                yield from shaped if known else (self._marked(field, read) for field in shaped)
                continue
            field = self._fields.plain(self._authenticating(row), read)
            having = [one for _, one in listed]
            whens = [None] if name in choosing or len(having) == len(variants) else variant_conditions(having, variants)
            for when in whens:
                yield field if when is None else field.model_copy(update={"when": when})

    def _shapes(self, row: Parameter, place: Place, version: float) -> list[NodeField]:
        """Nothing when the description says nothing of it; hidden where documents of this version have no such
        parameter."""
        shapes = self._source.questions.get(place, {}).get(row.name) or self._source.shapes.get(row.name)
        if not shapes:
            return []
        fitting = [one for one in shapes if _concerns(one, place) and (not one.versions or version in one.versions)]
        if not fitting and row.required and not any(_concerns(one, place) for one in shapes):
            return []
        if not fitting and row.name not in self._beside:
            return [NodeField(name=row.name, control="hidden", label=self._words.label(row.name), default=row.default)]
        return [self._cached(row, one) for one in fitting]

    def _read(self, names: set[str], variants: Sequence[DescribedOperation]) -> OperationReads:
        """Which parts of their parameters these variants read; the same for all versions that have them."""
        key = tuple(id(one) for one in variants)
        if key not in self._reads:
            reads = self._reads[key] = OperationReads(names, self._source.values)
            for one in variants:
                reads.add(one)
        return self._reads[key]

    def _authenticating(self, row: Parameter) -> Parameter:
        """The parameter that chooses the credential has the choices of the table `node.auth`."""
        auth = self._source.node.auth
        if auth is None or auth.parameter != row.name or row.options or not auth.choices:
            return row
        return row.model_copy(update={"options": list(auth.choices)})

    def _rank(self, name: str) -> tuple[bool, int]:
        return name in _LAST, self._order.get(name, -1)

    def _marked(self, field: NodeField, read: TemplateRead) -> NodeField:
        """The field that says of its children which of them have no effect."""
        if field.control != "collection" or read.whole or read.element is not None:
            return field
        unread = frozenset(child.name for child in field.fields if child.name not in read.parts)
        if not unread:
            return field
        key = (id(field), unread)
        if key not in self._without_effect:
            fields = [without_effect(child) if child.name in unread else child for child in field.fields]
            self._without_effect[key] = (field, field.model_copy(update={"fields": fields}))
        return self._without_effect[key][1]

    def _cached(self, row: Parameter, shape: DocumentShape) -> NodeField:
        key = (id(shape), row.model_dump_json())
        if key not in self._shaped:
            self._shaped[key] = self._fields.shaped(row, shape)
        return self._shaped[key]


def without_effect(field: NodeField) -> NodeField:
    """The field that says that no request has its value."""
    return field.model_copy(update={"help": "Stays in the document, and has no effect here."})


def _joined(rows: Sequence[Parameter]) -> Parameter:
    """The rows of one name of several variants as one."""
    options = [*dict.fromkeys(option for row in rows for option in row.options)] if all(r.options for r in rows) else []
    words = {value: label for row in rows for value, label in row.words.items()}
    required = all(row.required for row in rows)
    return rows[0].model_copy(update={"options": options, "required": required, "words": words})


def _concerns(shape: DocumentShape, place: Place) -> bool:
    resource, operation = place
    return not shape.only or f"{resource}.{operation}" in shape.only or bool(resource and resource in shape.only)


def _fits(operation: DescribedOperation, version: float) -> bool:
    low, high = operation.min_version, operation.max_version
    return (low is None or version >= low) and (high is None or version <= high)


def _unavailable(places: Mapping[Place, Sequence[DescribedOperation]]) -> str:
    """Why no variant of these operations runs; empty when one does."""
    reasons = [one.unavailable for variants in places.values() for one in variants]
    return reasons[0] if reasons and all(reasons) else ""
