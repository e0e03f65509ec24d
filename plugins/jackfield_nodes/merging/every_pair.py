"""All possible combinations: each item of the first input with each of the second."""

from __future__ import annotations

from jackfield.api.workflows import Items
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, merged


def every_pair(first: Items, second: Items, how: Resolution) -> Items:
    return [
        merged((MergeSource(left, index, 0), MergeSource(right, other, 1)), how)
        for index, left in enumerate(first)
        for other, right in enumerate(second)
    ]
