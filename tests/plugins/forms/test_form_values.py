"""Fields of forms: what their parameters mean, and what becomes of what was sent."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.form_fields import KINDS, FormField, read_fields
from jackfield_forms.pages import SUBMITTED, is_web_address, read_completion, read_page
from jackfield_forms.values import Sent, SubmittedFile, accepted, check, item_of


def fields(*rows: dict[str, Any]) -> list[FormField]:
    return read_fields({"formFields": {"values": list(rows)}})


def texts(**sent: Any) -> Sent:
    return Sent(
        {name.replace("_", "-"): [value] if isinstance(value, str) else value for name, value in sent.items()}, {}
    )


def checked(row: dict[str, Any], *given: str) -> Any:
    """The value of the only field, or the mistake."""
    found = check(fields({"fieldLabel": "F", **row}), Sent({"field-0": list(given)}, {}))
    return found.mistakes.get("field-0") or found.values["F"]


OPTIONS = {"fieldOptions": {"values": [{"option": "a"}, {"option": "b"}, {"option": "c"}]}}


@pytest.mark.parametrize(
    ("row", "given", "value"),
    [
        ({}, ["  text "], "text"),
        ({}, [], ""),
        ({"fieldType": "textarea"}, ["a\r\nb\r\n"], "a\nb"),
        ({"fieldType": "password"}, [" kept "], " kept "),
        ({"fieldType": "number"}, ["42"], 42),
        ({"fieldType": "number"}, ["-1.5e1"], -15),
        ({"fieldType": "number"}, ["0.25"], 0.25),
        ({"fieldType": "number"}, [""], None),
        ({"fieldType": "date"}, ["2026-02-28"], "2026-02-28"),
        ({"fieldType": "date", "formatDate": "dd/MM/yyyy"}, ["2026-02-28"], "28/02/2026"),
        ({"fieldType": "email"}, ["a.b+c@example.com"], "a.b+c@example.com"),
        ({"fieldType": "dropdown", **OPTIONS}, ["b"], "b"),
        ({"fieldType": "dropdown", **OPTIONS}, [""], ""),
        ({"fieldType": "dropdown", "multiselect": True, **OPTIONS}, ["a", "c"], ["a", "c"]),
        ({"fieldType": "checkbox", **OPTIONS}, [], []),
        ({"fieldType": "checkbox"}, ["F"], ["F"]),
        ({"fieldType": "radio", **OPTIONS}, ["c"], "c"),
        ({"fieldType": "hiddenField", "fieldValue": "x"}, ["y"], "y"),
        ({"fieldType": "html", "html": "<b>hi</b>"}, [], "<b>hi</b>"),
    ],
)
def test_values(row: dict[str, Any], given: list[str], value: Any) -> None:
    assert checked(row, *given) == value


@pytest.mark.parametrize(
    ("row", "given", "told"),
    [
        ({"requiredField": True}, ["  "], "fill in"),
        ({"fieldType": "number"}, ["nan"], "number"),
        ({"fieldType": "number"}, ["1_000"], "number"),
        ({"fieldType": "number"}, ["٣"], "number"),
        ({"fieldType": "number"}, ["1e999"], "number"),
        ({"fieldType": "date"}, ["2026-02-30"], "date"),
        ({"fieldType": "email"}, ["nobody"], "email"),
        ({"fieldType": "email"}, ["a@b\nBcc: c@d"], "email"),
        ({"fieldType": "dropdown", **OPTIONS}, ["z"], "given options"),
        ({"fieldType": "dropdown", **OPTIONS}, ["a", "b"], "one option only"),
        ({"fieldType": "radio", "requiredField": True, **OPTIONS}, [], "choose an option"),
        ({"fieldType": "checkbox", "limitSelection": "exact", "numberOfSelections": 2, **OPTIONS}, ["a"], "at least 2"),
        (
            {"fieldType": "checkbox", "limitSelection": "range", "maxSelections": 1, **OPTIONS},
            ["a", "b"],
            "at most 1",
        ),
        ({}, ["x" * 100_001], "100000"),
    ],
)
def test_mistakes(row: dict[str, Any], given: list[str], told: str) -> None:
    assert told in checked(row, *given)


def test_files_become_binary_data_and_facts() -> None:
    form = fields(
        {"fieldLabel": "My doc", "fieldType": "file"},
        {"fieldLabel": "One", "fieldType": "file", "multipleFiles": False},
    )
    one = SubmittedFile("a.txt", "text/plain", b"hello")
    found = check(form, Sent({}, {"field-0": [one, SubmittedFile("", "", b"")], "field-1": [one]}))
    item = item_of(found, formMode="test")
    facts = {"filename": "a.txt", "mimetype": "text/plain", "size": 5}
    assert item["json"] == {"My doc": [facts], "One": facts, "formMode": "test"}
    assert item["binary"]["My_doc_0"] == {
        "data": base64.b64encode(b"hello").decode(),
        "mimeType": "text/plain",
        "fileName": "a.txt",
        "fileType": "text",
        "fileSize": "5 B",
        "bytes": 5,
        "fileExtension": "txt",
    }
    assert "One" in item["binary"]


@pytest.mark.parametrize(
    ("row", "files", "told"),
    [
        ({"requiredField": True}, [], "choose a file"),
        ({"multipleFiles": False}, ["a.png", "b.png"], "one file only"),
        ({"acceptFileTypes": ".pdf, image/*"}, ["a.exe"], "these types"),
    ],
)
def test_files_that_are_refused(row: dict[str, Any], files: list[str], told: str) -> None:
    form = fields({"fieldLabel": "F", "fieldType": "file", **row})
    sent = Sent({}, {"field-0": [SubmittedFile(name, "application/x-thing", b"") for name in files]})
    assert told in check(form, sent).mistakes["field-0"]


@pytest.mark.parametrize(
    ("types", "name", "mime", "fits"),
    [
        ("", "a", "x/y", True),
        (".PDF", "A.pdf", "x/y", True),
        ("image/*", "a", "image/png", True),
        ("image/*", "a.png", "text/plain", False),
        ("text/csv", "a", "text/csv", True),
        (".pdf", "pdf", "x/y", False),
    ],
)
def test_what_an_accept_list_takes(types: str, name: str, mime: str, fits: bool) -> None:
    assert accepted(types, SubmittedFile(name, mime, b"")) is fits


def test_names_of_fields() -> None:
    form = fields(
        {"fieldLabel": "Your name", "fieldName": "name"},
        {"fieldLabel": "Age", "fieldType": "number"},
        {"fieldType": "html", "elementName": "banner", "html": "x"},
        {"fieldType": "html", "html": "y"},
        {},
    )
    assert [field.key for field in form] == ["name", "Age", "banner", "", "field-4"]
    assert list(check(form, texts()).values) == ["name", "Age", "banner", "field-4"]


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"formFields": {"values": [{"fieldType": "colour"}]}}, "Field 1 has the type colour"),
        ({"formFields": {"values": [{"fieldLabel": "P", "fieldType": "dropdown"}]}}, "'P' needs options"),
        ({"formFields": "x"}, "must be a list"),
        ({"defineForm": "json", "jsonOutput": "{"}, "jsonOutput"),
        ({"defineForm": "json", "jsonOutput": "{}"}, "must be a list"),
    ],
)
def test_forms_that_are_none(parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_fields(parameters)


def test_a_form_as_json() -> None:
    given = '[{"fieldLabel": "Q", "fieldType": "radio", "fieldOptions": {"values": [{"option": "x"}]}}]'
    (field,) = read_fields({"defineForm": "json", "jsonOutput": given})
    assert (field.kind, field.options) == ("radio", ["x"])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
_ROW = st.fixed_dictionaries(
    {},
    optional={
        "fieldType": st.sampled_from(list(KINDS)) | _JSON,
        "fieldLabel": _JSON,
        "fieldOptions": _JSON | st.just(OPTIONS["fieldOptions"]),
        "requiredField": _JSON,
        "multiselect": _JSON,
        "limitSelection": st.sampled_from(["exact", "range", "unlimited"]) | _JSON,
        "numberOfSelections": _JSON,
        "html": _JSON,
        "formatDate": _JSON,
    },
)


@given(st.lists(_ROW, max_size=3), st.lists(st.text(max_size=6), max_size=3))
def test_any_form_and_anything_sent_give_values_or_mistakes(rows: list[dict[str, Any]], given: list[str]) -> None:
    try:
        form = fields(*rows)
    except ValueError:
        return
    found = check(form, Sent({field.name: given for field in form}, {}))
    for field in form:
        assert field.name in found.mistakes or field.key in found.values or not field.key


@pytest.mark.parametrize(
    ("options", "text", "redirect"),
    [
        ({}, SUBMITTED, ""),
        ({"respondWithOptions": {"values": {"formSubmittedText": "Ta"}}}, "Ta", ""),
        (
            {"respondWithOptions": {"values": {"respondWith": "redirect", "redirectUrl": "https://a.b"}}},
            None,
            "https://a.b",
        ),
        ({"respondWithOptions": {"values": {"respondWith": "redirect", "redirectUrl": "javascript:x"}}}, SUBMITTED, ""),
        ({"formSubmittedText": "Plain"}, "Plain", ""),
    ],
)
def test_endings(options: dict[str, Any], text: str | None, redirect: str) -> None:
    end = read_page({"options": options}).ending
    assert end.redirect == redirect
    assert text is None or end.text == text


def test_completion_pages() -> None:
    told = read_completion({"respondWith": "text", "completionTitle": "Done", "completionMessage": "Bye"})
    assert (told.title, told.text) == ("Done", "Bye")
    assert read_completion({"respondWith": "redirect", "redirectUrl": "https://a.b"}).redirect == "https://a.b"


@pytest.mark.parametrize(
    "text", ["", "/x", "javascript:alert(1)", "data:text/html,x", "https://", "https://a\nb", "http://["]
)
def test_what_is_no_web_address(text: str) -> None:
    assert not is_web_address(text)
