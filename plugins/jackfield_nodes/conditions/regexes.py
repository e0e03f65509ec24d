"""The answers of JavaScript for conditions and other nodes: regular expressions, and dates of unusual forms.

Regular expressions of nodes are JavaScript's, and a hostile text can make them run very long. So a script engine tests
them, off the event loop and within its time limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.scripts import SCRIPT_ENGINES, ScriptData, ScriptEngine, ScriptError
from jackfield.api.workflows import Items
from jackfield_nodes.conditions.questions import Answers, DateQuestion, Question, RegexQuestion

SOURCE = "new RegExp($json.pattern, $json.flags).test($json.text)"
REPLACE = "$json.text.replace(new RegExp($json.pattern, $json.flags), $json.by)"
DATE = """((text, names) =>
  [...names.map((name) => () => DateTime[name](text).toMillis()), () => new Date(text).getTime()]
    .reduce((found, read) => (found === found ? found : read()), NaN)
)($json.text, $json.reader === 'luxon' ? ['fromISO', 'fromHTTP', 'fromRFC2822', 'fromSQL'] : [])"""

Replacement: TypeAlias = "tuple[str, str, str, str]"
"""Pattern, flags, what to put in its place, and the text."""


class Regexes:
    """Asks the engine for `javaScript`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def _engine(self) -> ScriptEngine:
        engine = self._context.extensions(SCRIPT_ENGINES).get("javaScript")
        if engine is None:
            raise NodeError(
                "Regular expressions and unusual dates need the plugin jackfield_javascript, which is not loaded."
            )
        return engine

    async def answers(self, asked: Iterable[Question], timezone: str) -> Answers:
        """The answer to each question. timezone: IANA name of the workflow's. Raises `NodeError`."""
        distinct = list(dict.fromkeys(asked))
        patterns = [one for one in distinct if isinstance(one, RegexQuestion)]
        dates = [one for one in distinct if isinstance(one, DateQuestion)]
        matched = await self._evaluated(SOURCE, [{"pattern": p, "flags": f, "text": t} for p, f, t in patterns])
        read = await self._evaluated(DATE, [{"text": t, "reader": r} for t, r in dates], timezone)
        found: dict[Question, bool | int | None] = {}
        found.update(zip(patterns, (row if isinstance(row, bool) else None for row in matched), strict=True))
        found.update(zip(dates, (int(row) if isinstance(row, int | float) else None for row in read), strict=True))
        return found

    async def replaced(self, asked: Iterable[Replacement]) -> Mapping[Replacement, str | None]:
        """Each text with the first match replaced; None where the pattern is not valid. Raises `NodeError`."""
        distinct = list(dict.fromkeys(asked))
        given = [{"pattern": p, "flags": f, "by": by, "text": t} for p, f, by, t in distinct]
        rows = await self._evaluated(REPLACE, given)
        return {key: found if isinstance(found, str) else None for key, found in zip(distinct, rows, strict=True)}

    async def _evaluated(self, source: str, given: Sequence[Mapping[str, Json]], timezone: str = "UTC") -> list[object]:
        """The result of the source for each of these objects."""
        if not given:
            return []
        items: Items = [{"json": dict(row)} for row in given]
        try:
            data = ScriptData(input=items, timezone=timezone)
            rows = await self._engine().evaluate([source], data, range(len(items)))
        except ScriptError as exc:
            raise NodeError(f"A regular expression or a date could not be evaluated: {exc.message}") from exc
        return [row[0] for row in rows]
