"""Combine by position: the first items of all inputs make one, then the second ones, and so on."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.workflows import Items
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, merged


def by_position(inputs: Sequence[Items], how: Resolution, *, unpaired: bool) -> Items:
    """inputs: at least one. unpaired: whether items without a partner go out too."""
    lengths = [len(items) for items in inputs]
    count = max(lengths) if unpaired else min(lengths)
    return [merged(_at(inputs, index), how) for index in range(count)]


def _at(inputs: Sequence[Items], index: int) -> list[MergeSource]:
    return [MergeSource(items[index], index, source) for source, items in enumerate(inputs) if index < len(items)]
