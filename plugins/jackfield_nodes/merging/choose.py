"""Choose branch: waits for all inputs, and hands one on."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.nodes.items import all_pairs, new_item, passed_on
from jackfield.api.workflows import Items
from jackfield_nodes.merging.parameters import Branch


def chosen(inputs: Sequence[Items], branch: Branch) -> Items:
    """Nothing while an input that is wired got no items: the node waits for all of them."""
    if not all(inputs):
        return []
    if branch.source is None:
        return [new_item({}, all_pairs(inputs))]
    if branch.source >= len(inputs):
        return []
    return [passed_on(item, index, branch.source) for index, item in enumerate(inputs[branch.source])]
