"""All possible combinations: each item of the first input with each of the second."""

from __future__ import annotations

from jackfield.api.workflows import Items
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, merged


def every_pair(first: Items, second: Items, how: Resolution) -> Items:
    """The input that prevails comes second."""
    outer, inner = (1, 0) if how.preferred == 0 and not how.suffix else (0, 1)
    inputs = (first, second)
    return [
        merged((MergeSource(left, index, outer), MergeSource(right, other, inner)), how)
        for index, left in enumerate(inputs[outer])
        for other, right in enumerate(inputs[inner])
    ]
