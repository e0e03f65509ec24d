"""The tables of a trigger with their templates compiled; what does not fit is found here, with its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from jackfield.api.jsontext import Json
from jackfield.api.records import record, replace
from jackfield.api.triggers.newness import seconds
from jackfield_vendors.described.description import Parameter
from jackfield_vendors.described.triggers import (
    DescribedAnswer,
    DescribedCondition,
    DescribedCreate,
    DescribedEnd,
    DescribedEvent,
    DescribedHandshake,
    DescribedPoll,
    DescribedProof,
    DescribedRowFile,
    DescribedSubscribe,
    DescribedVariant,
    Pair,
)
from jackfield_vendors.operations import (
    Check,
    CompiledRequest,
    CompiledStep,
    compiled_request,
    compiled_step,
    compiled_template,
)
from jackfield_vendors.shapes import Shape, ShapeValue, matches, shape_of, value_of_shape
from jackfield_vendors.templates import Missing, Template, TemplateMismatch, TemplateScope, as_text, value_of

VariantT = TypeVar("VariantT", bound=DescribedVariant)


@record
class CompiledCondition:
    has: Sequence[Template]
    lacks: Sequence[Template]
    same: Sequence[tuple[Template, Template]]
    outside: Sequence[tuple[Template, Template]]
    later: Sequence[tuple[Template, Template]]

    def holds(self, scope: TemplateScope) -> bool:
        return (
            all(is_true(one, scope) for one in self.has)
            and not any(is_true(one, scope) for one in self.lacks)
            and all(are_same(pair, scope) for pair in self.same)
            and not any(_is_among(pair, scope) for pair in self.outside)
            and all(_is_later(pair, scope) for pair in self.later)
        )


@record
class CompiledRowFile:
    needs: Template
    name: Template | None
    property: Template
    request: CompiledRequest
    each: Template | None
    hosts: Sequence[str]


@record
class CompiledPoll:
    described: DescribedPoll
    steps: Sequence[CompiledStep]
    request: CompiledRequest
    found: Template | None
    ignore: Sequence[CompiledCondition]
    id: Shape
    time: Shape | None
    detail: CompiledRequest | None
    each: Sequence[CompiledStep]
    item: ShapeValue | None
    fetch: CompiledRowFile | None


@record
class CompiledCreate:
    request: CompiledRequest | None
    then: Sequence[CompiledStep]
    state: Shape | None
    expires: Template | None
    lifetime: float | None


@record
class CompiledCheck:
    request: CompiledRequest
    needs: Template | None
    rows: str | None
    same: Sequence[tuple[Template, Template]]
    state: Shape | None


@record
class CompiledEnd:
    request: CompiledRequest | None
    before: Sequence[CompiledStep]


@record
class CompiledProof:
    described: DescribedProof
    secret: Template
    same: Sequence[tuple[Template, Template]]
    digest: Template | None
    when: CompiledCondition | None


@record
class CompiledAnswer:
    described: DescribedAnswer
    headers: Mapping[str, Template]
    body: Shape | None


@record
class CompiledHandshake:
    described: DescribedHandshake
    when: CompiledCondition
    answer: CompiledAnswer


@record
class CompiledEvent:
    described: DescribedEvent
    ignore: Sequence[CompiledCondition]
    delivery: Template | None
    steps: Sequence[CompiledStep]
    found: Template | None
    item: Shape | None
    answer: CompiledAnswer | None
    file: CompiledRowFile | None
    output: Template | None


@record
class CompiledSubscribe:
    described: DescribedSubscribe
    steps: Sequence[CompiledStep]
    create: CompiledCreate | None
    check: CompiledCheck | None
    renew: CompiledCreate | None
    delete: CompiledEnd | None
    proofs: Sequence[CompiledProof]
    handshakes: Sequence[CompiledHandshake]
    event: CompiledEvent


def check_source(poll: DescribedPoll, parameters: Sequence[Parameter]) -> None:
    """Raises ValueError for a parameter that the node has not."""
    known = {row.name for row in parameters}
    for name in poll.new.source:
        if name not in known:
            raise TemplateMismatch(f"new.source: the node has no parameter {name}; declare it in node.parameters")


def checker(parameters: Sequence[Parameter], values: Mapping[str, Template]) -> Check:
    """The names that templates of a trigger may use: the node's parameters, named templates, and all that begin with
    `$`.
    """
    known = {row.name for row in parameters}

    def check(template: Template, place: str, inside: bool) -> None:
        for name in template.names():
            if name.startswith("@"):
                if name[1:] not in values:
                    raise TemplateMismatch(f"{place}: the table values has no {name[1:]}")
            elif not inside and name[0] not in "$." and name not in known:
                raise TemplateMismatch(f"{place}: the node has no parameter {name}; declare it in node.parameters")

    return check


def compile_poll(given: DescribedPoll, check: Check) -> CompiledPoll:
    """Raises ValueError with the key and what is wrong with it."""
    row = _inside(check)
    return CompiledPoll(
        given,
        [compiled_step(step, f"steps[{index}].", check) for index, step in enumerate(given.steps)],
        compiled_request(given, "", check),
        compiled_template(given.found, "found", check),
        [_condition(one, f"ignore[{index}]", row) for index, one in enumerate(given.ignore)],
        shape_of(given.new.id, "new.id", row, inside=True),
        shape_of(given.new.time, "new.time", row, inside=True) if given.new.time else None,
        compiled_request(given.detail, "detail.", row) if given.detail else None,
        [compiled_step(step, f"each[{index}].", row) for index, step in enumerate(given.each)],
        None if given.item is None else value_of_shape(given.item, "item", row, inside=True),
        _row_file(given.fetch, "fetch.", row, check) if given.fetch else None,
    )


def compile_subscribe(given: DescribedSubscribe, check: Check) -> CompiledSubscribe:
    """Raises ValueError with the key and what is wrong with it."""
    return CompiledSubscribe(
        given,
        [compiled_step(step, f"steps[{index}].", check) for index, step in enumerate(given.steps)],
        _create(given.create, "create.", check),
        _check(given, check),
        _create(given.renew, "renew.", check),
        _end(given.delete, check) if given.delete else None,
        [_proof(one, f"proof[{index}].", check) for index, one in enumerate(given.proof)],
        [_handshake(one, f"handshake[{index}].", check) for index, one in enumerate(given.handshake)],
        _event(given.event, check),
    )


def _create(given: DescribedCreate | None, place: str, check: Check) -> CompiledCreate | None:
    if given is None:
        return None
    return CompiledCreate(
        compiled_request(given, place, check) if given.path or given.url else None,
        [compiled_step(step, f"{place}then[{index}].", check) for index, step in enumerate(given.then)],
        None if given.state is None else shape_of(given.state, f"{place}state", check),
        compiled_template(given.expires or None, f"{place}expires", check),
        given.lifetime,
    )


def _end(given: DescribedEnd, check: Check) -> CompiledEnd:
    return CompiledEnd(
        compiled_request(given, "delete.", check) if given.path or given.url else None,
        [compiled_step(step, f"delete.before[{index}].", check) for index, step in enumerate(given.before)],
    )


def _check(subscribe: DescribedSubscribe, check: Check) -> CompiledCheck | None:
    given = subscribe.check
    if given is None:
        return None
    row = check if given.rows is None else _inside(check)
    return CompiledCheck(
        compiled_request(given, "check.", check),
        compiled_template(given.needs or None, "check.needs", check),
        given.rows,
        _pairs(given.same, "check.same", row),
        None if given.state is None else shape_of(given.state, "check.state", row, inside=given.rows is not None),
    )


def _proof(given: DescribedProof, place: str, check: Check) -> CompiledProof:
    secret = compiled_template(given.secret, f"{place}secret", check)
    if secret is None:
        raise TemplateMismatch(f"{place}secret: say what the key is")
    digest = compiled_template(given.digest or None, f"{place}digest", check)
    when = _condition(given.when, f"{place}when", check) if given.when else None
    return CompiledProof(given, secret, _pairs(given.same, f"{place}same", check), digest, when)


def _handshake(given: DescribedHandshake, place: str, check: Check) -> CompiledHandshake:
    return CompiledHandshake(
        given, _condition(given.when, f"{place}when", check), _answer(given.answer, f"{place}answer.", check)
    )


def _answer(given: DescribedAnswer, place: str, check: Check) -> CompiledAnswer:
    headers = {
        name: made
        for name, text in given.headers.items()
        if (made := compiled_template(text, f"{place}headers.{name}", check)) is not None
    }
    return CompiledAnswer(given, headers, None if given.body is None else shape_of(given.body, f"{place}body", check))


def _event(given: DescribedEvent, check: Check) -> CompiledEvent:
    row = _inside(check) if given.several else check
    return CompiledEvent(
        given,
        [_condition(one, f"event.ignore[{index}]", check) for index, one in enumerate(given.ignore)],
        compiled_template(given.delivery or None, "event.delivery", check),
        [compiled_step(step, f"event.steps[{index}].", check) for index, step in enumerate(given.steps)],
        compiled_template(given.found or None, "event.found", check),
        None if given.item is None else shape_of(given.item, "event.item", row, inside=given.several),
        _answer(given.answer, "event.answer.", check) if given.answer else None,
        _row_file(given.file, "event.file.", row, check) if given.file else None,
        compiled_template(given.output or None, "event.output", check),
    )


def _row_file(given: DescribedRowFile, place: str, row: Check, check: Check) -> CompiledRowFile | None:
    one = _inside(check) if given.each else row
    needs = compiled_template(given.needs, f"{place}needs", row)
    named = compiled_template(given.property, f"{place}property", one)
    if needs is None or named is None:
        return None
    return CompiledRowFile(
        needs,
        compiled_template(given.name or None, f"{place}name", one),
        named,
        compiled_request(given, place, one),
        compiled_template(given.each or None, f"{place}each", row),
        given.hosts,
    )


def _condition(given: DescribedCondition, place: str, check: Check) -> CompiledCondition:
    return CompiledCondition(
        _templates(given.has, f"{place}.has", check),
        _templates(given.lacks, f"{place}.lacks", check),
        _pairs(given.same, f"{place}.same", check),
        _pairs(given.outside, f"{place}.outside", check),
        _pairs(given.later, f"{place}.later", check),
    )


def _templates(texts: Sequence[str], place: str, check: Check) -> list[Template]:
    made = [compiled_template(text, f"{place}[{index}]", check) for index, text in enumerate(texts)]
    return [one for one in made if one is not None]


def _pairs(pairs: Sequence[Pair], place: str, check: Check) -> list[tuple[Template, Template]]:
    found = []
    for index, pair in enumerate(pairs):
        first, second = _templates(pair, f"{place}[{index}]", check)
        found.append((first, second))
    return found


def _inside(check: Check) -> Check:
    def inside(template: Template, place: str, _: bool) -> None:
        check(template, place, True)

    return inside


def chosen(variants: Sequence[tuple[VariantT, object]], given: Mapping[str, Json], version: float) -> int | None:
    """The place of the first variant that these parameters and this version choose."""
    for index, (described, _) in enumerate(variants):
        low, high = described.min_version, described.max_version
        fits = (low is None or version >= low) and (high is None or version <= high)
        if fits and matches(dict(described.when), given):  # type: ignore[arg-type]  # scalars are JSON
            return index
    return None


def is_true(template: Template, scope: TemplateScope) -> bool:
    return bool(value_of(template, scope))


def are_same(pair: tuple[Template, Template], scope: TemplateScope) -> bool:
    """Both are there, and are the same text."""
    first, second = text_in(pair[0], scope), text_in(pair[1], scope)
    return bool(first) and first == second


def _is_among(pair: tuple[Template, Template], scope: TemplateScope) -> bool:
    """The list has the value, or `*` for every one."""
    listed = value_of(pair[1], scope)
    names = [as_text(one) for one in listed] if isinstance(listed, list) else []
    return "*" in names or text_in(pair[0], scope) in names


def _is_later(pair: tuple[Template, Template], scope: TemplateScope) -> bool:
    first, second = (seconds(text_in(template, scope)) for template in pair)
    return first is not None and second is not None and first > second


def text_in(template: Template | None, scope: TemplateScope) -> str:
    """Empty when it is missing."""
    found = None if template is None else value_of(template, scope)
    return "" if found is None or isinstance(found, Missing) else as_text(found)


def key_in(template: Template, scope: TemplateScope) -> str:
    """The text of a key; empty when any part of it is missing: the rest alone is no secret."""
    parts = [text_in(Template((part,)), scope) for part in template.parts if not isinstance(part, str)]
    return text_in(template, scope) if all(parts) else ""


def of_row(scope: TemplateScope, row: Json) -> TemplateScope:
    """The scope in which templates see a row."""
    return replace(scope, element=row, inside=True)
