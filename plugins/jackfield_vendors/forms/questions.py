"""How the parameters of questions are shown, the same for all services but for the labels and styles of buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from jackfield_vendors.described.description import DescribedQuestion, DocumentShape, DocumentShapes

_FILE = Path(__file__).with_name("questions.json")
_LABELS = {"approveLabel": "approve", "disapproveLabel": "decline"}
_STYLES = ("buttonApprovalStyle", "buttonDisapprovalStyle")


@lru_cache(maxsize=1)
def shape_reader() -> TypeAdapter[dict[str, DocumentShapes]]:
    """Reads the shapes of a file."""
    return TypeAdapter(dict[str, DocumentShapes])


def question_shapes(question: DescribedQuestion) -> Mapping[str, Sequence[DocumentShape]]:
    """By the parameter's name."""
    shared = _shared()
    buttons = [_buttons(one, question) for one in shared["approvalOptions"]]
    options = [one.model_copy(update={"fields": {**one.fields, **question.options}}) for one in shared["options"]]
    return {**shared, "approvalOptions": buttons, "options": options}


@lru_cache(maxsize=1)
def _shared() -> Mapping[str, Sequence[DocumentShape]]:
    return shape_reader().validate_json(_FILE.read_bytes())


def _buttons(shape: DocumentShape, question: DescribedQuestion) -> DocumentShape:
    values = {
        name: [one.model_copy(update={"default": getattr(question, _LABELS[name])}) for one in shapes]
        if name in _LABELS
        else shapes
        for name, shapes in shape.groups["values"].items()
        if question.styles or name not in _STYLES
    }
    return shape.model_copy(update={"groups": {"values": values}})
