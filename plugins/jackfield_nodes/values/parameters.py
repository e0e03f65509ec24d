"""Shapes of parameters that several nodes share."""

from __future__ import annotations

from jackfield.api.nodes import Parameters


class NameValue(Parameters):
    """One row of a list of fields, headers or query parameters."""

    name: str = ""
    value: object = None
