"""Outlines that stand in a file of a plugin, read when somebody asks for the first: a start reads none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Protocol, cast

from ..object_references import load
from .types import NodeOutline


class _Outlines(Protocol):
    def of(self, kind: str) -> NodeOutline | None: ...


class LaterOutlines:
    """`jackfield.api.nodes.outlines.WrittenOutlines` of this file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _read(self) -> _Outlines:
        return cast("Callable[[Path], _Outlines]", load("jackfield.api.nodes.outlines:WrittenOutlines"))(self._file)

    def of(self, kind: str) -> NodeOutline | None:
        """None: nothing is written down of this kind."""
        return self._read.of(kind)
