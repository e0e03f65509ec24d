"""Every form of every node type of every plugin can be used: labels, words, conditions, defaults, nothing left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from jackfield.api.nodes import NodeCatalog, NodeType
from jackfield.api.nodes.fields import fields_of, forms_of
from jackfield.api.nodes.forms import NodeField, NodeForm, formed_node
from jackfield.api.nodes.showing import shown_fields
from jackfield.core.building import build

PLAIN = frozenset(("@version", "@tool"))
WHOLE = frozenset(("locator", "assignments", "filter", "mapper", "workflow", "json", "hidden", "secret"))
"""Controls that show all of a value by themselves."""
QUESTION = re.compile(r"(What|Who|Whose)\b")
NO_NOUN = re.compile(r"(It|Its|They|Their|Them)\b|.*\b(give|see|for) (it|them)\.$")
"""How a help begins or ends that does not say of which thing it speaks."""
SHOWN = 60
MOST_USED = (
    "aggregate code convertToFile cron emailSend executeWorkflow executeWorkflowTrigger extractFromFile filter form "
    "formTrigger function functionItem graphql html httpRequest if langchain.agent langchain.chainLlm "
    "langchain.chatTrigger langchain.documentDefaultDataLoader langchain.embeddingsOpenAi "
    "langchain.informationExtractor langchain.lmChatAnthropic langchain.lmChatGoogleGemini langchain.lmChatOpenAi "
    "langchain.lmChatOpenRouter langchain.memoryBufferWindow langchain.openAi langchain.outputParserStructured "
    "langchain.textSplitterRecursiveCharacterTextSplitter langchain.textSplitterTokenSplitter langchain.toolCode "
    "langchain.toolHttpRequest langchain.toolThink langchain.toolWorkflow langchain.vectorStoreQdrant "
    "langchain.vectorStoreSupabase limit manualTrigger markdown merge moveBinaryData noOp postgres respondToWebhook "
    "rssFeedRead scheduleTrigger set sort splitInBatches splitOut ssh stickyNote stopAndError summarize switch wait "
    "webhook writeBinaryFile "
)
"""The types of the core and of AI that real workflows use most."""


@pytest.fixture(scope="module")
def node_types(tmp_path_factory: pytest.TempPathFactory) -> Sequence[NodeType]:
    found: Sequence[NodeType] = build(tmp_path_factory.mktemp("forms"), {}, {}).context("forms").port(NodeCatalog).all()
    return sorted(found, key=lambda node_type: node_type.kind)


@pytest.fixture(scope="module")
def forms(node_types: Sequence[NodeType]) -> Sequence[tuple[NodeType, NodeForm]]:
    return [(node_type, form) for node_type in node_types for form in forms_of(node_type)]


def each(fields: Sequence[NodeField], path: str = "") -> Iterator[tuple[str, NodeField, Sequence[NodeField]]]:
    """(path, field, the fields beside it), at every depth."""
    for field in fields:
        yield f"{path}{field.name}", field, fields
        yield from each(field.fields, f"{path}{field.name}.")
        for group in field.groups:
            yield from each(group.fields, f"{path}{field.name}.{group.name}.")


def refused(forms: Sequence[tuple[NodeType, NodeForm]], matter: Any) -> list[str]:
    """matter: of a field, those beside it and those at the top -> the complaint, if any."""
    found: list[str] = []
    for node_type, form in forms:
        for path, field, beside in each(form.fields):
            if told := matter(field, beside, form.fields):
                found.append(f"{node_type.kind} {form.versions} {path}: {told}")
    return found[:SHOWN]


def test_every_field_has_a_label(forms: Sequence[tuple[NodeType, NodeForm]]) -> None:
    def matter(field: NodeField, beside: object, top: object) -> str:
        plain = " " in field.name or (field.name.isalpha() and (field.name.islower() or field.name.istitle()))
        labels = [group.label for group in field.groups]
        bad = not field.label.strip() or not all(labels) or (field.label == field.name and not plain)
        return f"label {field.label!r}" if bad else ""

    assert refused(forms, matter) == []


def test_texts_begin_and_end_in_time(forms: Sequence[tuple[NodeType, NodeForm]]) -> None:
    def matter(field: NodeField, beside: object, top: object) -> str:
        texts = [field.label, field.help, *(told for choice in field.choices for told in (choice.label, choice.help))]
        bad = [text for text in texts if QUESTION.match(text) or any(len(one.split()) > 25 for one in text.split(". "))]
        return str(bad) if bad else ""

    assert refused(forms, matter) == []


def test_helps_name_what_they_speak_of(forms: Sequence[tuple[NodeType, NodeForm]]) -> None:
    def matter(field: NodeField, beside: object, top: object) -> str:
        helps = (field.help, *(choice.help for choice in field.choices))
        return str([text for text in helps if NO_NOUN.match(text)] or "")

    assert refused(forms, matter) == []


@pytest.mark.parametrize("kind", ["langchain.openAi", "httpRequest", "langchain.lmChatOpenAi"])
def test_no_two_fields_that_are_shown_have_one_label(node_types: Sequence[NodeType], kind: str) -> None:
    found = next(node_type for node_type in node_types if node_type.kind == kind)
    for form in forms_of(found):
        defaults = {field.name: field.default for field in form.fields}
        shown = shown_fields(form.fields, defaults, defaults, max(form.versions, default=1))
        labels = [field.label for field in shown if field.control != "hidden"]
        assert sorted(labels) == sorted(set(labels))


def test_every_choice_has_words_and_the_default_is_one_of_them(forms: Sequence[tuple[NodeType, NodeForm]]) -> None:
    def matter(field: NodeField, beside: object, top: object) -> str:
        if not all(choice.label.strip() for choice in field.choices):
            return "a choice without words"
        if field.control in ("select", "multiselect") and not field.choices and field.load is None:
            return "nothing to choose from"
        given = field.default if isinstance(field.default, list) else [field.default]
        values = [choice.value for choice in field.choices]
        fits = all(one in values for one in given) or field.default is None or field.default == ""
        return "" if fits or not values or field.load else f"default {field.default!r} is none of {values!r}"

    assert refused(forms, matter) == []


def test_every_condition_names_a_field(forms: Sequence[tuple[NodeType, NodeForm]]) -> None:
    def matter(field: NodeField, beside: Sequence[NodeField], top: Sequence[NodeField]) -> str:
        asked = {**field.when.show, **field.when.hide} if field.when else {}
        names = {"": {one.name for one in beside}, "/": {one.name for one in top}}
        unknown = [
            key
            for key in asked
            if key not in PLAIN and key.lstrip("/").partition(".")[0] not in names["/" if key.startswith("/") else ""]
        ]
        return f"when names {unknown}" if unknown else ""

    assert refused(forms, matter) == []


def test_every_value_asked_for_can_be_chosen(forms: Sequence[tuple[NodeType, NodeForm]]) -> None:
    def matter(field: NodeField, beside: Sequence[NodeField], top: Sequence[NodeField]) -> str:
        for key, wanted in (field.when.show if field.when else {}).items():
            near = top if key.startswith("/") else beside
            asked = [one for one in near if one.name == key.removeprefix("/") and one.control != "hidden"]
            values = [choice.value for one in asked for choice in one.choices]
            if not values or not all(one.choices for one in asked):
                continue
            if not any(isinstance(one, dict) or one in values or one == "" for one in wanted):
                return f"{key} is never one of {wanted}"
        return ""

    assert refused(forms, matter) == []


def _models(annotation: Any) -> Iterator[type[BaseModel]]:  # whatever can be annotated
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


def _left_out(
    model: type[BaseModel], fields: Sequence[NodeField], path: str, above: tuple[object, ...]
) -> Iterator[str]:
    if model in above:
        return
    for name, info in model.model_fields.items():
        key = info.alias or name
        named = [field for field in fields if field.name == key]
        if not named:
            yield f"{path}{key}"
        inner = next((field for field in named if field.fields or field.groups), None)
        if inner is None or any(field.control in WHOLE for field in named):
            continue
        for below in _models(info.annotation):
            if inner.fields:
                shown = [child for field in named for child in field.fields]  # several show it in different cases
                yield from _left_out(below, shown, f"{path}{key}.", (*above, model))
            groups = {group.name: group.fields for group in inner.groups}
            for group, own in below.model_fields.items() if groups else ():
                for row in _models(own.annotation):
                    if (own.alias or group) in groups:
                        yield from _left_out(row, groups[own.alias or group], f"{path}{key}.{group}.", (*above, model))


def test_a_form_leaves_nothing_out_that_the_model_reads(node_types: Sequence[NodeType]) -> None:
    found: list[str] = []
    for node_type in node_types:
        shown: dict[type[BaseModel], list[NodeField]] = {}
        for form in forms_of(node_type):
            for version in (*form.versions, *((None,) if form.default else ())):
                shown.setdefault(node_type.parameters(version), []).extend(form.fields)
        for model, fields in shown.items() if formed_node(node_type) is None else ():
            left_out = set(_left_out(model, fields, "", ())) - _of_other_versions(model)
            found += [f"{node_type.kind} {model.__name__} {path}" for path in sorted(left_out)]
    assert found[:SHOWN] == []


def _of_other_versions(model: type[BaseModel]) -> set[str]:
    """What a model has for versions that have another model."""
    return {
        path
        for path, field, _ in each(fields_of(model))
        if field.when and "@version" in {**field.when.show, **field.when.hide}
    }


def test_the_forms_of_the_most_used_nodes_have_help(node_types: Sequence[NodeType]) -> None:
    """Help for all that the newest version shows at its top."""
    used = frozenset(MOST_USED.split())
    found: list[str] = []
    for node_type in node_types:
        if node_type.kind in used:
            last = forms_of(node_type)[-1]
            found += [
                f"{node_type.kind} {field.name}"
                for field in last.fields
                if not field.help and field.control != "hidden"
            ]
    assert [told for told in found if not told.endswith(" options")] == []
