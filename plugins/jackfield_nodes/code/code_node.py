"""Code: the author's own program makes the items.

The node counts as having no effect outside the execution: a worker process has no network and no files. So a run that
is repeated after a crash changes nothing. Its source is never an expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.javascript import to_boolean
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import goes_on, unpaired_error
from jackfield.api.nodes.running import ModelNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.scripts import SCRIPT_ENGINES
from jackfield.api.workflows import Item, Items
from jackfield_nodes.code.form import CODE
from jackfield_nodes.values.conversions import type_name, with_article
from jackfield_nodes.values.threads import worked

ITEM_KEYS = frozenset({"json", "binary", "pairedItem", "error", "index"})
_OF_ALL = re.compile(r"\$input\.(first|last|all|itemMatching)")
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
    ui_order: ClassVar[Sequence[str]] = ("mode", "language")

    ui_fields: ClassVar[UiFields] = CODE

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
        given = run.node.parameters
        language = self._language(given.get("language"))
        source = _source(given, language)
        if each:
            _refuse_lists(source, language)
        try:
            result = await run.run_script(language, source, each=each)
        except NodeError as exc:
            if each or not goes_on(run):
                raise
            return [[unpaired_error(exc)]]
        log_lines(run, result.logs)
        count = len(result.value) if isinstance(result.value, list) else 1
        return [await worked(count, items_of_each if each else items_of_all, result.value)]

    def _language(self, given: Json) -> str:
        asked = given if isinstance(given, str) else "javaScript"
        language = LANGUAGES.get(asked.lower(), asked)
        if language not in self._context.extensions(SCRIPT_ENGINES):
            known = ", ".join(self._context.extensions(SCRIPT_ENGINES)) or "none"
            raise NodeError(
                f"No plugin provides a script engine for the language {asked}; there are engines for: {known}."
            )
        return language


def _refuse_lists(source: str, language: str) -> None:
    """In the mode per item there is one. Raises `NodeError`."""
    found = _OF_ALL.search(source) if language == "javaScript" else None
    if found and any(
        found[1] in line and not line.lstrip().startswith(("//", "/*", "*")) for line in source.split("\n")
    ):
        raise NodeError(f"$input.{found[1]}() is only there when the program runs once for all items; use $input.item.")


def log_lines(run: NodeRun, lines: Sequence[str]) -> None:
    """Lines that a program printed."""
    for line in lines:
        run.log.info("%s: %s", run.node.name, line)


def _source(given: Mapping[str, Json], language: str) -> str:
    names = SOURCES.get(language, (f"{language}Code", "code"))
    source = next((text for name in names if isinstance(text := given.get(name), str) and text), None)
    if source is None:
        raise NodeError(f"The parameter {names[0]} is empty; write a program that returns items.")
    return source


def items_of_all(value: Json) -> Items:
    """One object, a list of objects or of items. Raises `NodeError` for anything else, also other keys."""
    if isinstance(value, list) and any(isinstance(row, dict) and row.keys() & ITEM_KEYS for row in value):
        for index, row in enumerate(value):
            if isinstance(row, dict):
                _check_keys(row, index)
    return normalized(value)


def normalized(value: Json) -> Items:
    """As `items_of_all`; keys beside those of an item are left out."""
    if not isinstance(value, dict | list):
        raise NodeError(f"The program must return a list of objects, but it returned {_named(value)}.")
    rows = value if isinstance(value, list) else [value]
    objects = [row for row in rows if isinstance(row, dict)]
    if len(objects) < len(rows):
        wrong = next(row for row in rows if not isinstance(row, dict))
        raise NodeError(f"The program must return a list of objects, but an element is {_named(wrong)}.")
    if isinstance(value, dict) and not to_boolean(value.get("json")):
        objects = [{"json": value}]
    return [_checked(row, index) for index, row in enumerate(_with_json(objects))]


def _named(value: Json) -> str:
    return "nothing" if value is None else with_article(type_name(value))


def _check_keys(row: Mapping[str, Json], index: int) -> None:
    """Whether a key beside those of an item was meant for its json. Raises `NodeError`."""
    if not row.keys() <= ITEM_KEYS:
        unknown = sorted(row.keys() - ITEM_KEYS)
        raise NodeError(
            f"An item has the keys json, binary and pairedItem, but item {index} of the program's also has "
            f"{', '.join(unknown)}; put fields inside json.",
            item=index,
        )


def _with_json(rows: Sequence[dict[str, Json]]) -> Sequence[dict[str, Json]]:
    """Objects become the json of items. Raises `NodeError` when only some of them are items."""
    for key in ("json", "binary"):
        having = [key in row for row in rows]
        if all(having):
            return rows if key == "json" else [_around_files(row) for row in rows]
        if any(having):
            raise NodeError(f"Some of the items that the program returned have {key}, and some have not.")
    return [{"json": row} for row in rows]


def _around_files(row: Mapping[str, Json]) -> dict[str, Json]:
    return {"json": {key: value for key, value in row.items() if key != "binary"}, "binary": row["binary"]}


def items_of_each(value: Json) -> Items:
    """Per input item one object or item; what counts as false leaves it out. Raises `NodeError` for anything else."""
    if not isinstance(value, list):
        raise NodeError("The program's results are not a list with one entry per item.")
    return [_of_each(row, index) for index, row in enumerate(value) if row not in (None, False, 0, "")]


def _of_each(row: Json, index: int) -> Item:
    json = row
    files: Json = None
    if isinstance(row, dict):
        files = row.get("binary")
        json = row.get("json", {} if "binary" in row else row)
    made = _checked({"json": json, **({"binary": files} if files else {})}, index)
    made["pairedItem"] = {"item": index}
    return made


def _checked(row: Mapping[str, Json], index: int) -> Item:
    """A full item, the program's own where there are just fields. Raises `NodeError` when its `json` is no object,
    or its files are no files."""
    json, binary = row["json"], row.get("binary")
    if len(row) == 1 and type(row) is dict and type(json) is dict:
        return cast("Item", row)
    for key in ("json", "binary"):
        if key in row and not isinstance(row[key], dict):
            raise NodeError(
                f"{key} of item {index} of the program's must be an object, but it is {_named(row[key])}.", item=index
            )
    made: Item = {"json": cast("dict[str, Json]", json)}
    if isinstance(binary, dict) and binary:
        made["binary"] = files_of(binary, f"item {index}")  # type: ignore[typeddict-item]
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
