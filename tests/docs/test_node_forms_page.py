"""The model of docs/node-forms.md has the form that the page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from jackfield.api.nodes.fields import fields_of, of_version

PAGE = Path(__file__).resolve().parents[2] / "docs/node-forms.md"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    (source,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    module = ModuleType("node_forms_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(source, str(PAGE), "exec"), module.__dict__)
    return module.TicketParameters


def test_the_example_has_its_form(model: Any) -> None:
    fields = of_version(fields_of(model), 1)
    told = [(field.name, field.control, field.label, field.required) for field in fields]
    assert told == [
        ("mode", "select", "Ticket", False),
        ("title", "text", "Title", True),
        ("body", "json", "Fields", False),
        ("priority", "select", "Priority", False),
        ("options", "collection", "Options", False),
    ]
    assert [choice.label for choice in fields[0].choices] == ["Written here", "From a template"]
    assert [field.help for field in fields[-1].fields] == ["Sends a mail to the owner."]
    assert [field.label for field in of_version(fields_of(model), 2) if field.name == "body"] == [
        "Fields",
        "Values of the template",
    ]
