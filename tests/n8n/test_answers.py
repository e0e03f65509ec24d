"""Answers to questions beside n8n's own node, run in its webhook's context: the same items, and the same words on the
pages of forms. In one thing they differ on purpose: n8n takes a read link for an answer, unless it knows a robot by its
name; here a button is pressed.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.forms.form_lab import HOST, Site
from tests.plugins.forms.test_questions import Asked

from jackfield_forms.settings import FormSettings

from . import installing

SCRIPT = Path(__file__).with_name("answers.js")
SECONDS = 60
ROWS = [
    {"fieldLabel": "Size", "fieldType": "number"},
    {
        "fieldLabel": "Colors",
        "fieldType": "checkbox",
        "fieldOptions": {"values": [{"option": "red"}, {"option": "blue"}]},
    },
    {"fieldLabel": "When", "fieldType": "date"},
    {"fieldLabel": "Note", "fieldType": "textarea"},
    {"fieldType": "hiddenField", "fieldName": "batch", "fieldValue": "7"},
]
SENT = {"field-0": "4", "field-1": ["red"], "field-2": "2026-01-02", "field-3": "a\nb", "field-4": "7"}
DOUBLE = {"approvalOptions": {"values": {"approvalType": "double"}}}
TITLED = {"options": {"responseFormTitle": "T", "responseFormDescription": "a\\nb", "responseFormButtonLabel": "Go"}}
FORM = {"responseType": "customForm", "formFields": {"values": ROWS}}
JSON_FORM = {"responseType": "customForm", "defineForm": "json", "jsonOutput": json.dumps(ROWS)}
ANSWERS: Mapping[str, tuple[Mapping[str, Any], bool, Mapping[str, Any]]] = {
    "approved": (DOUBLE, True, {}),
    "declined": (DOUBLE, False, {}),
    "text": ({"responseType": "freeText"}, True, {"field-0": "yes\nplease"}),
    "form": (FORM, True, SENT),
    "form as JSON": (JSON_FORM, True, SENT),
}
"""Label -> parameters, whether the link approves, and what is sent."""
PAGES: Mapping[str, Mapping[str, Any]] = {
    "text": {"responseType": "freeText"},
    "text with words": {"responseType": "freeText", **TITLED},
    "form": {**FORM, **TITLED},
}


@pytest.fixture(scope="module")
def theirs() -> Mapping[str, Any]:
    """Label -> what n8n's node did."""
    asked: dict[str, Any] = {}
    for label, (parameters, approved, sent) in ANSWERS.items():
        method = "POST" if sent else "GET"
        query = {"approved": str(approved).lower()}
        asked[label] = {"parameters": parameters, "method": method, "query": query, "fields": sent}
    for label, parameters in PAGES.items():
        asked[f"page: {label}"] = {"parameters": parameters, "method": "GET", "query": {"approved": "true"}}
    try:
        command, place = [installing.node(), str(SCRIPT)], installing.directory()
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    given = json.dumps(list(asked.values())).encode()
    done = subprocess.run(command, cwd=place, input=given, capture_output=True, timeout=SECONDS, check=True)
    return dict(zip(asked, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, FormSettings())


@pytest.mark.parametrize("label", ANSWERS)
async def test_an_answer_is_n8ns_item(label: str, theirs: Mapping[str, Any], site: Site) -> None:
    parameters, approved, sent = ANSWERS[label]
    made = Asked(site, **parameters)
    await site.client.post(made.paths[approved], headers=HOST, form=as_browser(sent))
    (found,) = site.engine.resumed
    assert found is not None
    assert [without_time(item["json"]) for item in found] == [without_time(one) for one in theirs[label]["items"]]


def as_browser(sent: Mapping[str, Any]) -> dict[str, str]:
    """As a browser sends it, which n8n has read already."""
    return {name: value[0] if isinstance(value, list) else value for name, value in sent.items()}


def without_time(item: Any) -> Any:
    """Both have said when; the times differ."""
    assert item["data"]["respondedAt"].endswith("Z")
    return {"data": {name: value for name, value in item["data"].items() if name != "respondedAt"}}


@pytest.mark.parametrize("label", PAGES)
async def test_a_page_has_n8ns_words(label: str, theirs: Mapping[str, Any], site: Site) -> None:
    made = Asked(site, **{"message": "Ship it?", **PAGES[label]})
    shown = theirs[f"page: {label}"]["shown"]
    _, page = await site.get(made.paths[True])
    assert f"<h1>{shown['title'] or 'Form'}</h1>" in page
    assert shown["description"] in page
    assert f">{shown['button']}</button>" in page
    assert shown["fields"]
    for field in shown["fields"]:
        assert field in page or field == "batch", "a hidden field shows no label"
