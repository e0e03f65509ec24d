"""Code: the author's own program makes the items.

Counts as having no effect outside the execution: a worker process has no network and no files, so that a run which is
repeated after a crash changes nothing. Its source is never an expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import with_pair
from jackfield.api.nodes.running import ModelNode, made_at_once, mapped
from jackfield.api.scripts import SCRIPT_ENGINES
from jackfield.api.workflows import Item, Items, Outputs
from jackfield_nodes.values.conversions import type_name, with_article

ITEM_KEYS = frozenset({"json", "binary", "pairedItem", "error", "index"})
LANGUAGES: Mapping[str, str] = {
    "javascript": "javaScript",
    "js": "javaScript",
    "pythonnative": "python",
    "python": "python",
    "rhai": "rhai",
}
SOURCES: Mapping[str, Sequence[str]] = {"javaScript": ("jsCode", "code"), "python": ("pythonCode", "code")}
"""Parameters that may hold the program, per language; any other language has it in `<language>Code` or `code`."""


class CodeParameters(Parameters, title="Code"):
    mode: Literal["runOnceForAllItems", "runOnceForEachItem"] = Field(
        "runOnceForAllItems", description="Run once with all items, or once per item."
    )
    language: str = Field("javaScript", description="javaScript, python, pythonNative or rhai.")
    js_code: str = Field("", description="The program in JavaScript.")
    python_code: str = Field("", description="The program in Python.")
    rhai_code: str = Field("", description="The program in Rhai.")


class CodeNode(ModelNode):
    """Runs the source in a killable worker."""

    kind = "code"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription("Code", "Makes items with a program of your own.", "code")
    model = CodeParameters

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def execute(self, run: NodeRun) -> NodeResult:
        each = run.node.parameters.get("mode") == "runOnceForEachItem"
        if each and not run.items:
            return [[]]

        async def work() -> Outputs:
            return [await self._items(run, each=each)]

        return await work() if each else await made_at_once(run, work, index=None)

    async def _items(self, run: NodeRun, *, each: bool) -> Items:
        given = run.node.parameters
        language = self._language(given.get("language"))
        result = await run.run_script(language, _source(given, language), each=each)
        log_lines(run, result.logs)
        if each:
            return await _items_of_each(run, result.value)
        return items_of_all(result.value)

    def _language(self, given: Json) -> str:
        asked = given if isinstance(given, str) else "javaScript"
        language = LANGUAGES.get(asked.lower(), asked)
        if language not in self._context.extensions(SCRIPT_ENGINES):
            known = ", ".join(self._context.extensions(SCRIPT_ENGINES)) or "none"
            raise NodeError(
                f"No plugin provides a script engine for the language {asked}; there are engines for: {known}."
            )
        return language


def log_lines(run: NodeRun, lines: Sequence[str]) -> None:
    """Lines that a program printed."""
    for line in lines:
        run.log.info("%s: %s", run.node.name, line)


def _source(given: Mapping[str, Json], language: str) -> str:
    names = SOURCES.get(language, (f"{language}Code", "code"))
    source = next((text for name in names if isinstance(text := given.get(name), str) and text.strip()), None)
    if source is None:
        raise NodeError(f"The parameter {names[0]} is empty; write a program that returns items.")
    return source


def items_of_all(value: Json) -> Items:
    """One object, a list of objects or of items. Raises `NodeError` for anything else."""
    if value is None:
        raise NodeError("The program returned nothing; end it with a return of items, or of an empty list for none.")
    rows = value if isinstance(value, list) else [value]
    return [_item(row, None, f"element {index}") for index, row in enumerate(rows)]


async def _items_of_each(run: NodeRun, value: Json) -> Items:
    """Per input item one object or item, or null for none. Raises `NodeError` with the item's index."""
    if not isinstance(value, list):
        raise NodeError("The program's results are not a list with one entry per item.")
    return await mapped(run, value, lambda index, row: [] if row is None else [_item_of_one(row, index)])


def _item_of_one(row: Json, index: int) -> Item:
    if isinstance(row, list):
        raise NodeError(
            f"Item {index}: the program returned a list; in the mode runOnceForEachItem it must return one object.",
            item=index,
        )
    return _item(row, index, "the result")


def _item(row: Json, source: int | None, what: str) -> Item:
    if not isinstance(row, dict):
        raise NodeError(
            f"The program must return objects, but {what} is {with_article(type_name(row))}; return items such as "
            "[{json: {field: value}}].",
            item=source,
        )
    made: Item = _checked(row, source, what) if "json" in row else {"json": row}
    return made if source is None else with_pair(made, source)


def _checked(row: dict[str, Json], source: int | None, what: str) -> Item:
    """A full item. Raises `NodeError` when its `json` is no object, its files are no files, or a key is unknown."""
    json, binary = row["json"], row.get("binary")
    if unknown := row.keys() - ITEM_KEYS:
        raise NodeError(
            f"An item has the keys json, binary and pairedItem, but {what} also has {', '.join(sorted(unknown))}; "
            "put fields inside json.",
            item=source,
        )
    if not isinstance(json, dict):
        raise NodeError(
            f"The program must return objects, but json of {what} is {with_article(type_name(json))}.", item=source
        )
    made: Item = {"json": json}
    if isinstance(binary, dict) and binary:
        made["binary"] = files_of(binary, what)  # type: ignore[typeddict-item]
    if "pairedItem" in row and _is_pairing(row["pairedItem"]):
        made["pairedItem"] = row["pairedItem"]  # type: ignore[typeddict-item]
    if "error" in row and row["error"] is not None:
        made["error"] = row["error"]
    return made


def files_of(binary: dict[str, Json], what: str) -> dict[str, Json]:
    for name, file in binary.items():
        if not isinstance(file, dict) or not isinstance(file.get("data"), str):
            raise NodeError(f"The file '{name}' of {what} must be an object with data (base64) and mimeType.")
        file.setdefault("mimeType", "application/octet-stream")
    return binary


def _is_pairing(value: Json) -> bool:
    if isinstance(value, list):
        return all(_is_pairing(part) for part in value)
    if isinstance(value, dict):
        return isinstance(value.get("item"), int)
    return isinstance(value, int) and not isinstance(value, bool)


def node(context: PluginContext) -> CodeNode:
    return CodeNode(context)
