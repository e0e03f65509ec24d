"""Answers of a SurveyMonkey response by the questions' headings, as n8n's trigger has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.jsontext import Json
from jackfield_vendors.templates import as_text, at

Row: TypeAlias = dict[str, Json]
Given: TypeAlias = Sequence[Row]
"""The answers to one question."""


def survey_response(given: Mapping[str, Json]) -> Json:
    """`response`.

    `survey`: with its questions. `only`: false for the whole response, with `questions` in place of its pages.
    """
    response, survey = given.get("response"), given.get("survey")
    if not isinstance(response, dict):
        return None
    answers = {as_text(one.get("id")): _rows(one.get("answers")) for one in _questions(response)}
    found: dict[str, Json] = {}
    for question in _questions(survey):
        rows = answers.get(as_text(question.get("id")), [])
        answer = _FAMILIES.get(as_text(question.get("family") or ""))
        if rows and answer is not None:
            found |= answer(question, rows)
    if given.get("only") is not False:
        return found
    return {**{name: value for name, value in response.items() if name != "pages"}, "questions": found}


def _questions(of: Json) -> list[Row]:
    return [one for page in _rows(at(of, ["pages"])) for one in _rows(page.get("questions"))]


def _heading(question: Row) -> str:
    return as_text(at(question, ["headings", "0", "heading"]) or "")


def _open(question: Row, rows: Given) -> dict[str, Json]:
    if question.get("subtype") != "multi":
        return _present(_heading(question), rows[0].get("text"))
    found: dict[str, Json] = {}
    for index, row in enumerate(_rows(at(question, ["answers", "rows"]))):
        text = as_text(row.get("text") or "")
        value = rows[index].get("text") if index < len(rows) else None
        found[f"{text}({index})" if text in found else text] = value or ""
    return {_heading(question): found}


def _single(question: Row, rows: Given) -> dict[str, Json]:
    other = at(question, ["answers", "other"])
    choice = _choice(question, rows[0].get("choice_id"))
    if at(other, ["visible"]) and at(other, ["is_answer_choice"]) and rows[0].get("other_id"):
        return _present(_heading(question), rows[0].get("text"))
    if at(other, ["visible"]) and not at(other, ["is_answer_choice"]):
        comment = next((row.get("text") for row in rows if row.get("other_id") == at(other, ["id"])), None)
        made = {"value": at(choice, ["text"]), "comment": comment}
        return {_heading(question): {name: value for name, value in made.items() if value is not None}}
    return _present(_heading(question), at(choice, ["text"]))


def _multiple(question: Row, rows: Given) -> dict[str, Json]:
    other = at(question, ["answers", "other"])
    chosen = [row.get("choice_id") for row in rows]
    values = [one.get("text") for one in _choices(question) if one.get("id") in chosen]
    if at(other, ["is_answer_choice"]) and at(other, ["visible"]):
        values.append(next((row.get("text") for row in rows if row.get("other_id") == at(other, ["id"])), None))
    return {_heading(question): values}


def _matrix(question: Row, rows: Given) -> dict[str, Json]:
    lines = _rows(at(question, ["answers", "rows"]))
    comment = next((row.get("text") for row in rows if row.get("other_id")), None)
    has_comment = bool(at(question, ["answers", "other", "visible"]))
    if len(lines) > 1:
        return {_heading(question): _lines(question, lines, rows) | ({"comment": comment} if has_comment else {})}
    chosen = [row.get("choice_id") for row in rows]
    choices = [one for one in _choices(question) if one.get("id") in chosen]
    values = [one.get("weight") if one.get("text") == "" else one.get("text") for one in choices]
    value = values[0] if values else None
    return {_heading(question): {"value": value, "comment": comment} if has_comment else value}


def _lines(question: Row, lines: Given, rows: Given) -> Row:
    """Row of a matrix -> its own choice (n8n takes the choices in their own order); those without one are empty, and
    come last."""
    chosen = {as_text(row.get("row_id")): row.get("choice_id") for row in reversed(rows) if row.get("row_id")}
    answered = [line for line in lines if as_text(line.get("id")) in chosen]
    texts: Row = {
        as_text(line.get("text")): at(_choice(question, chosen[as_text(line.get("id"))]), ["text"]) or ""
        for line in answered
    }
    empty: Row = {as_text(line.get("text")): "" for line in lines if line not in answered}
    return {**texts, **empty}


def _demographic(question: Row, rows: Given) -> dict[str, Json]:
    texts = {row.get("row_id"): row.get("text") for row in rows if not isinstance(row.get("row_id"), dict | list)}
    kinds = _rows(at(question, ["answers", "rows"]))
    return {_heading(question): {as_text(one.get("type")): texts.get(as_text(one.get("id"))) or "" for one in kinds}}


def _presentation(question: Row, _: Given) -> dict[str, Json]:
    if question.get("subtype") != "image":
        return {}
    return _present(_heading(question), at(question, ["headings", "0", "image", "url"]))


_FAMILIES: Mapping[str, Callable[[Row, Given], dict[str, Json]]] = {
    "open_ended": _open,
    "datetime": _open,
    "single_choice": _single,
    "multiple_choice": _multiple,
    "matrix": _matrix,
    "demographic": _demographic,
    "presentation": _presentation,
}


def _choices(question: Row) -> list[Row]:
    return _rows(at(question, ["answers", "choices"]))


def _choice(question: Row, ident: Json) -> Row:
    return next((one for one in _choices(question) if one.get("id") == ident), {})


def _present(name: str, value: Json) -> dict[str, Json]:
    return {} if value is None else {name: value}


def _rows(value: Json) -> list[Row]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
