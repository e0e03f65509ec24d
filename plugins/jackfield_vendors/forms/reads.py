"""Which parts of its parameters an operation reads, found in its templates: the children of objects for the form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from jackfield.api.jsontext import Json
from jackfield_vendors.described.description import QUESTION_PARAMETERS, DescribedOperation, DescribedRequest
from jackfield_vendors.templates import Alternative, TemplateReference, compiled


class TemplateRead:
    """One place in a parameter. whole: whether something reads all of it. element: what is read of each element when it
    is a list."""

    def __init__(self) -> None:
        self.whole = False
        self.parts: dict[str, TemplateRead] = {}
        self.element: TemplateRead | None = None

    def below(self, path: Sequence[str]) -> TemplateRead:
        """The place at the path."""
        found = self
        for name in path:
            found = found.parts.setdefault(name, TemplateRead())
        return found

    def each(self) -> TemplateRead:
        """Its elements."""
        if self.element is None:
            self.element = TemplateRead()
        return self.element

    @property
    def depth(self) -> int:
        """How deep it is read: 0 for a plain value, or a list of those."""
        inner = [part.depth + 1 for part in self.parts.values()]
        return max([0, *inner, *([self.element.depth] if self.element else [])])


class OperationReads:
    """The parameters of several variants of one operation. values: the table `values`."""

    def __init__(self, names: set[str], values: Mapping[str, str]) -> None:
        self.top = TemplateRead()
        self._names = names
        self._values = values

    def add(self, operation: DescribedOperation) -> None:
        """Add the parameters that this variant reads."""
        for template in self._values.values():
            self._text(template, None)
        for request in filter(None, (operation, operation.before, operation.then)):
            self._request(request, None)
        for step in (*operation.steps, *operation.lastly):
            inside = None
            if step.each is not None:
                inside = self._elements(step.each, None)
            for text in (step.needs, step.read, step.within):
                self._text(text or "", None)
            self._shape(cast("Json", step.until), None)
            self._request(step, inside)
            self._shape(step.value, inside)
        self._shape(operation.value, None)
        self._text(operation.response.name or "", None)
        for name in QUESTION_PARAMETERS if operation.question is not None else ():
            self.top.below([name]).whole = True
        for name in (*operation.when, *filter(None, (operation.response.property,))):
            self.top.below(name.split(".")).whole = True

    def _request(self, request: DescribedRequest, inside: TemplateRead | None) -> None:
        for text in (request.path, request.url, request.file, request.raw, request.encoded, request.media_type):
            self._text(text or "", inside)
        for shape in (request.query, request.headers, request.files, request.body, request.form):
            self._shape(cast("Json", shape), inside)
        for one in request.texts.values():
            self._shape([one.text, one.name], inside)

    def _shape(self, shape: Json, inside: TemplateRead | None) -> None:
        if isinstance(shape, str):
            self._text(shape, inside)
        elif isinstance(shape, list):
            for part in shape:
                self._shape(part, inside)
        elif isinstance(shape, dict):
            source = shape.get("$each")
            inner = self._elements(source, inside) if isinstance(source, str) else inside
            for key, value in shape.items():
                if key == "$case" and isinstance(value, dict):
                    self._shape(list(value.values()), inner)  # its keys are values, not templates
                elif key != "$each":
                    self._shape(value, inner)
                    self._text(key, inner)

    def _elements(self, source: str, inside: TemplateRead | None) -> TemplateRead | None:
        places = [place for choice in _choices(source) for place in self._places(choice, inside)]
        return places[0].each() if places else TemplateRead()

    def _text(self, text: str, inside: TemplateRead | None) -> None:
        for choice in _choices(text) if "{" in text else ():
            for place in self._places(choice, inside):
                place.whole = True

    def _places(self, choice: Alternative, inside: TemplateRead | None) -> Iterator[TemplateRead]:
        """The place that the alternative reads, if it is one of a parameter."""
        path = choice.path
        if not path:
            return
        if path[0] == "$value" and inside is not None:
            yield inside.below(path[1:])
        elif path[0][0] not in "$@.":
            at = self.top if inside is None or path[0] in self._names else inside
            yield at.below(path)


def _choices(text: str) -> Iterator[Alternative]:
    for part in compiled(text).parts:
        if isinstance(part, TemplateReference):
            yield from part.choices
