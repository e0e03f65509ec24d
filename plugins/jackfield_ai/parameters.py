"""Shapes of parameters that several nodes share."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import BeforeValidator

from jackfield.api.jsontext import dumps
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import Ui
from jackfield_ai.form import MODEL


class ModelLocator(Parameters):
    """Something that was chosen from a list or by its id."""

    ui: ClassVar[Ui] = MODEL

    value: str | None = None
    mode: str = "list"


Chosen: TypeAlias = ModelLocator | str | None


def chosen(value: Chosen, default: str = "") -> str:
    """The id of what was chosen."""
    found = value.value if isinstance(value, ModelLocator) else value
    return found or default


def _text(value: object) -> object:
    """An object that an expression gave is its JSON, as n8n has it for prompts."""
    if isinstance(value, dict | list):
        return dumps(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


Text = Annotated[str, BeforeValidator(_text), Ui("textarea", options={"rows": 2})]
"""A prompt: whatever an expression gives, as text."""


def required(text: str, name: str) -> str:
    """Raises `NodeError` when it is empty."""
    if not text.strip():
        raise NodeError(f"The parameter {name} is empty; fill it in, or let the node before give it.")
    return text
