"""Regular expressions of nodes: they are JavaScript's, and a hostile text can make them run for ever, so a script
engine tests them, off the event loop and within its time limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeError
from jackfield.api.scripts import SCRIPT_ENGINES, ScriptData, ScriptEngine, ScriptError
from jackfield.api.workflows import Items
from jackfield_nodes.conditions.blocks import Question

SOURCE = "new RegExp($json.pattern, $json.flags).test($json.text)"
REPLACE = "$json.text.replace(new RegExp($json.pattern, $json.flags), $json.by)"

Replacement: TypeAlias = "tuple[str, str, str, str]"
"""Pattern, flags, what to put in its place, and the text."""


class Regexes:
    """Asks the engine for `javaScript`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def _engine(self) -> ScriptEngine:
        engine = self._context.extensions(SCRIPT_ENGINES).get("javaScript")
        if engine is None:
            raise NodeError("Regular expressions need the plugin jackfield_javascript, which is not loaded.")
        return engine

    async def answers(self, asked: Iterable[Question]) -> Mapping[Question, bool | None]:
        """Whether each text matches its pattern; None where the pattern is not valid. Raises `NodeError`."""
        distinct = list(dict.fromkeys(asked))
        rows = await self._evaluated(SOURCE, [{"pattern": p, "flags": f, "text": t} for p, f, t in distinct])
        return {key: found if isinstance(found, bool) else None for key, found in zip(distinct, rows, strict=True)}

    async def replaced(self, asked: Iterable[Replacement]) -> Mapping[Replacement, str | None]:
        """Each text with the first match replaced; None where the pattern is not valid. Raises `NodeError`."""
        distinct = list(dict.fromkeys(asked))
        given = [{"pattern": p, "flags": f, "by": by, "text": t} for p, f, by, t in distinct]
        rows = await self._evaluated(REPLACE, given)
        return {key: found if isinstance(found, str) else None for key, found in zip(distinct, rows, strict=True)}

    async def _evaluated(self, source: str, given: Sequence[Mapping[str, str]]) -> list[object]:
        """What the source gives for each of these objects."""
        if not given:
            return []
        items: Items = [{"json": dict(row)} for row in given]
        try:
            rows = await self._engine().evaluate([source], ScriptData(input=items), range(len(items)))
        except ScriptError as exc:
            raise NodeError(f"A regular expression could not be evaluated: {exc.message}") from exc
        return [row[0] for row in rows]
