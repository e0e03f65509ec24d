"""The item that an answer becomes, wherever it was given: at a link, on a page, or in the inbox."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.engine import WaitingCall
from jackfield.api.jsontext import Json
from jackfield.api.workflows import Item
from jackfield_forms.values import CheckedForm, item_of

TEST_MODES = frozenset(("test", "manual"))
"""Of executions that somebody starts to try their workflow."""


def approval_item(context: PluginContext, *, approved: bool) -> Item:
    """Of a question that is answered with a button."""
    return {"json": {"data": {"approved": approved, **_now(context)}}}


def question_item(context: PluginContext, checked: CheckedForm) -> Item:
    """Of a question that is answered with a form."""
    item = item_of(checked)
    return {**item, "json": {"data": {**item["json"], **_now(context)}}}


def page_item(context: PluginContext, waiting: WaitingCall, checked: CheckedForm) -> Item:
    """Of a page that an execution waits for."""
    more: dict[str, Json] = {
        "submittedAt": iso(context.clock.now_ms()),
        "formMode": "test" if waiting.mode in TEST_MODES else "production",
    }
    return item_of(checked, **more)


def labels_of(waiting: WaitingCall) -> Mapping[str, str]:
    """Of the buttons of a question: `yes`, perhaps `no`, to their labels."""
    found = waiting.call.get("labels")
    return {key: text for key, text in found.items() if isinstance(text, str)} if isinstance(found, dict) else {}


def parameters_of(waiting: WaitingCall) -> Mapping[str, Json]:
    """Of its form."""
    found = waiting.call.get("parameters")
    return found if isinstance(found, dict) else {}


def _now(context: PluginContext) -> dict[str, Json]:
    return {"respondedAt": iso(context.clock.now_ms())}
