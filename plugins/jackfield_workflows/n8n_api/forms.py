"""The models of n8n's operations, each loaded with the first request that needs it."""

from __future__ import annotations

from typing import Any

from jackfield.api.object_references import load


def n8n_schema(name: str) -> str:
    """Where the model of this name is."""
    return f"jackfield_workflows.n8n_api.schemas:{name}"


def n8n_model(name: str) -> Any:  # of a request: the view says which model it is
    """The model of this name."""
    return load(n8n_schema(name))
