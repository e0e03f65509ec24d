"""Regular expressions of conditions: they are JavaScript's, and a hostile text can make them run for ever, so a script
engine tests them, off the event loop and within its time limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeError
from jackfield.api.scripts import ScriptData, ScriptEngine, ScriptError
from jackfield.api.workflows import Items
from jackfield_nodes.conditions import Question

SOURCE = "new RegExp($json.pattern, $json.flags).test($json.text)"


class Regexes:
    """Asks the engine for `javaScript`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def _engine(self) -> ScriptEngine:
        engine = self._context.script_engines.get("javaScript")
        if engine is None:
            raise NodeError("Regular expressions need the plugin jackfield_javascript, which is not loaded.")
        return engine

    async def answers(self, asked: Iterable[Question]) -> Mapping[Question, bool | None]:
        """Whether each text matches its pattern; None where the pattern is not valid. Raises `NodeError`."""
        distinct = list(dict.fromkeys(asked))
        if not distinct:
            return {}
        items: Items = [{"json": {"pattern": p, "flags": f, "text": t}} for p, f, t in distinct]
        try:
            rows = await self._engine().evaluate([SOURCE], ScriptData(input=items), range(len(items)))
        except ScriptError as exc:
            raise NodeError(f"A regular expression could not be tested: {exc.message}") from exc
        return {key: row[0] if isinstance(row[0], bool) else None for key, row in zip(distinct, rows, strict=True)}
