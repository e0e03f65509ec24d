"""The members that values of expressions offer: written by `tools/expression_vocabulary.py` from the engine itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.expressions import ExpressionMember

FILE = Path(__file__).with_name("vocabulary.json")
Members = Mapping[str, Sequence[ExpressionMember]]


class WrittenVocabulary:
    """`ExpressionVocabulary` of the file, read when somebody asks for it first."""

    def __init__(self, context: PluginContext) -> None:
        self._members: Members | None = None

    async def members(self) -> Members:
        if self._members is None:
            self._members = await asyncio.to_thread(_read)
        return self._members


def _read() -> Members:
    found = json.loads(FILE.read_text("utf-8"))
    return {kind: [ExpressionMember(**member) for member in members] for kind, members in found.items()}
