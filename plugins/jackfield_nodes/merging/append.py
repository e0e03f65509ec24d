"""Append: the items of every input, one input after the other."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.nodes.items import passed_on
from jackfield.api.workflows import Items


def appended(inputs: Sequence[Items]) -> Items:
    return [passed_on(item, index, source) for source, items in enumerate(inputs) for index, item in enumerate(items)]
