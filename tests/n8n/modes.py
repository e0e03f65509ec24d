"""Cases of a node in every way in which a workflow goes on after errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .cases import Document, NodeCase

MODES: Mapping[str, Document] = {
    "stop": {},
    "item": {"onError": "continueRegularOutput"},
    "output": {"onError": "continueErrorOutput"},
    "old": {"continueOnFail": True},
}
"""The last one is how documents said it before `onError`."""
GOES_ON: Sequence[str] = ("item",)
EITHER: Sequence[str] = ("stop", "item")


def in_modes(
    label: str, node: Document, items: Sequence[Document], modes: Iterable[str] = MODES, **more: Sequence[str]
) -> Iterator[NodeCase]:
    """The node with these items in each of the modes. more: see `NodeCase`."""
    for mode in modes:
        yield NodeCase(f"{label}, {mode}", {**node, **MODES[mode]}, items, **more)  # type: ignore[arg-type]
