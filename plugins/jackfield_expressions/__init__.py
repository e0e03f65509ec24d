"""The expression language of workflows: templates, property paths, and what Python evaluates of JavaScript."""

from __future__ import annotations

from jackfield.api.expressions import Expressions
from jackfield.api.plugin import Plugin


class ExpressionsPlugin(Plugin):
    """The expression language of workflows."""

    name = "expressions"
    provides = {Expressions: "jackfield_expressions.service:ExpressionsService"}
