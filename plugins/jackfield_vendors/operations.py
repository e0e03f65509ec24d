"""Operations with their templates compiled; what does not fit is found here, with its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_vendors.described.description import (
    DescribedList,
    DescribedOperation,
    DescribedRequest,
    DescribedStep,
    Parameter,
)
from jackfield_vendors.shapes import Shape, ShapeValue, shape_of, value_of_shape
from jackfield_vendors.templates import (
    Missing,
    Template,
    TemplateMismatch,
    TemplateScope,
    as_text,
    at,
    compiled,
    value_of,
)

Check = Callable[[Template, str, bool], None]


@record
class CompiledRequest:
    """path and url: texts whose references are percent-encoded in a path."""

    described: DescribedRequest
    path: Template
    url: Template | None
    query: Shape
    headers: Mapping[str, Template]
    body: Shape | None
    form: Shape | None
    files: Sequence[tuple[Template, Template]]
    texts: Mapping[str, tuple[Template, Template]]
    """Text and name."""
    file: Template | None
    raw: Template | None
    encoded: Template | None
    media_type: Template | None


@record
class CompiledUntil:
    """truth: of a template; fields: paths in the step's result -> templates of their values."""

    truth: Template | None
    fields: Mapping[str, Sequence[Template]]

    def holds(self, found: Json, scope: TemplateScope) -> bool:
        """scope: with the result."""
        if self.truth is not None:
            return bool(value_of(self.truth, scope))
        return all(
            any(as_text(at(found, path.split("."))) == value_of(one, scope) for one in wanted)
            for path, wanted in self.fields.items()
        )


@record
class CompiledStep:
    described: DescribedStep
    request: CompiledRequest
    needs: Template | None
    each: Template | None
    value: ShapeValue | None
    read: Template | None
    until: CompiledUntil | None
    within: Template


@record
class CompiledOperation:
    described: DescribedOperation
    request: CompiledRequest
    before: CompiledRequest | None
    then: CompiledRequest | None
    output: Shape | None
    simple: Shape | None
    when: Mapping[str, Json]
    steps: Sequence[CompiledStep]
    lastly: Sequence[CompiledStep]
    value: ShapeValue | None
    file_name: Template | None


@record
class CompiledList:
    described: DescribedList
    request: CompiledRequest
    steps: Sequence[CompiledStep]
    lastly: Sequence[CompiledStep]
    found: Template | None
    pick: Template | None
    row: Mapping[str, Template]
    """value, label, address and type."""


def compile_list(described: DescribedList, values: Mapping[str, Template]) -> CompiledList:
    """Raises ValueError with the key and what is wrong with it."""

    def check(template: Template, place: str, inside: bool) -> None:
        for name in template.names():
            if name.startswith("@") and name[1:] not in values:
                raise TemplateMismatch(f"{place}: the table values has no {name[1:]}")

    row = {name: getattr(described, name) for name in ("value", "label", "address", "type")}
    return CompiledList(
        described,
        compiled_request(described, "", check),
        [compiled_step(step, f"steps[{index}].", check) for index, step in enumerate(described.steps)],
        [compiled_step(step, f"lastly[{index}].", check) for index, step in enumerate(described.lastly)],
        compiled_template(described.found, "found", check),
        compiled_template(described.pick, "pick", check),
        {name: made for name, text in row.items() if text and (made := compiled_template(text, name, check))},
    )


def compile_operation(
    operation: DescribedOperation, shared: Sequence[Parameter], values: Mapping[str, Template]
) -> CompiledOperation:
    """Raises ValueError with the key and what is wrong with it."""
    known = {row.name for row in (*shared, *operation.parameters)} | {"resource", "operation"}

    def check(template: Template, place: str, inside: bool) -> None:
        for name in template.names():
            if name.startswith("@"):
                if name[1:] not in values:
                    raise TemplateMismatch(f"{place}: the table values has no {name[1:]}")
                check(values[name[1:]], place, inside)
            elif not inside and name[0] not in "$." and name not in known:
                raise TemplateMismatch(f"{place}: the operation has no parameter {name}; declare it in parameters")

    def anything(template: Template, place: str, inside: bool) -> None:
        """The answer's shape is the service's."""

    for name in operation.when:
        if name.split(".")[0] not in known:
            raise TemplateMismatch(f"when.{name}: the operation has no such parameter; declare it in parameters")
    response = operation.response
    steps = [compiled_step(step, f"steps[{index}].", check) for index, step in enumerate(operation.steps)]
    return CompiledOperation(
        operation,
        compiled_request(operation, "", check),
        compiled_request(operation.before, "before.", check) if operation.before else None,
        compiled_request(operation.then, "then.", check) if operation.then else None,
        None if response.output is None else shape_of(response.output, "response.output", anything),
        None if response.simple is None else shape_of(response.simple, "response.simple", anything),
        dict(operation.when),  # type: ignore[arg-type]  # scalars are JSON
        steps,
        [compiled_step(step, f"lastly[{index}].", check) for index, step in enumerate(operation.lastly)],
        None if operation.value is None else value_of_shape(operation.value, "value", check),
        compiled_template(response.name, "response.name", check),
    )


def compiled_step(step: DescribedStep, place: str, check: Check) -> CompiledStep:
    """Raises ValueError with the key and what is wrong with it, as those below."""

    def inside(template: Template, where: str, _: bool) -> None:
        check(template, where, True)

    return CompiledStep(
        step,
        compiled_request(step, place, check if step.each is None else inside),
        compiled_template(step.needs, f"{place}needs", check),
        compiled_template(step.each, f"{place}each", check),
        None if step.value is None else value_of_shape(step.value, f"{place}value", check),
        compiled_template(step.read, f"{place}read", check),
        _until(step.until, f"{place}until", check),
        needed_template(step.within, f"{place}within", check),
    )


def _until(written: str | dict[str, str | list[str]] | None, place: str, check: Check) -> CompiledUntil | None:
    if written is None:
        return None
    if isinstance(written, str):
        return CompiledUntil(needed_template(written, place, check), {})
    rows = {path: one if isinstance(one, list) else [one] for path, one in written.items()}
    return CompiledUntil(
        None, {path: [needed_template(one, f"{place}.{path}", check) for one in row] for path, row in rows.items()}
    )


def compiled_template(text: str | None, place: str, check: Check) -> Template | None:
    return None if text is None else needed_template(text, place, check)


def needed_template(text: str, place: str, check: Check) -> Template:
    try:
        made = compiled(text)
    except ValueError as exc:
        raise TemplateMismatch(f"{place}: {exc}") from None
    check(made, place, False)
    return made


def compiled_request(request: DescribedRequest, place: str, check: Check) -> CompiledRequest:
    def template(text: str, name: str) -> Template:
        try:
            made = compiled(text)
        except ValueError as exc:
            raise TemplateMismatch(f"{place}{name}: {exc}") from None
        check(made, f"{place}{name}", False)
        return made

    return CompiledRequest(
        request,
        template(request.path, "path"),
        None if request.url is None else template(request.url, "url"),
        _query(request, place, check),
        {name: template(value, f"headers.{name}") for name, value in request.headers.items()},
        None if request.body is None else shape_of(request.body, f"{place}body", check),
        None if request.form is None else shape_of(request.form, f"{place}form", check),
        [
            (template(field, f"files.{field}"), template(name, f"files.{field}"))
            for field, name in request.files.items()
        ],
        {
            field: (template(one.text, f"texts.{field}.text"), template(one.name, f"texts.{field}.name"))
            for field, one in request.texts.items()
        },
        compiled_template(request.file, f"{place}file", check),
        compiled_template(request.raw, f"{place}raw", check),
        compiled_template(request.encoded, f"{place}encoded", check),
        compiled_template(request.media_type, f"{place}media_type", check),
    )


def _query(request: DescribedRequest, place: str, check: Check) -> Shape:
    """`$merge`, with `$without` and `$only`, puts in names that only the values know; other names that begin with `$`
    are what they are."""
    words = {name: value for name, value in request.query.items() if name in ("$merge", "$without", "$only")}
    merged = shape_of(words, f"{place}query", check)
    named = {
        name: shape_of(value, f"{place}query.{name}", check)
        for name, value in request.query.items()
        if name not in words
    }

    def made(scope: TemplateScope) -> Json | Missing:
        found = merged(scope)
        out = dict(found) if isinstance(found, dict) else {}
        for name, shape in named.items():
            value = shape(scope)
            if not isinstance(value, Missing):
                out[name] = value
        return out

    return made
