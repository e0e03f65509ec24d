"""Rename Keys: gives fields other names, one by one or by a regular expression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, TypeAlias

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import accepted, error_item, passed_on
from jackfield.api.nodes.running import ModelNode, each, mapped
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import is_resolved
from jackfield.api.workflows import Items
from jackfield_nodes.conditions.regexes import Regexes, Replacement
from jackfield_nodes.fields.form import REGEX_REPLACEMENT, REGEX_REPLACEMENTS, RENAMED, RENAMED_KEY
from jackfield_nodes.values.paths import get_path, remove_path, set_path


class RenamedKey(Parameters):
    ui_fields: ClassVar[UiFields] = RENAMED_KEY

    current_key: str = Field("", description="The field's name now; a.b means the field b inside a.")
    new_key: str = Field("", description="The name it gets.")

    def counts(self) -> bool:
        return bool(self.current_key and self.new_key) and self.current_key != self.new_key


class RenamedKeys(Parameters):
    key: list[RenamedKey] = Field(default_factory=list)


class RegexOptions(Parameters):
    case_insensitive: Flag = Field(False, description="Whether upper and lower case are the same.")
    depth: int = Field(-1, ge=-1, description="Levels below the top in which fields are renamed; -1: all.")


class RegexReplacement(Parameters):
    ui_fields: ClassVar[UiFields] = REGEX_REPLACEMENT

    search_regex: str = Field("", description="A regular expression in JavaScript; its first match is replaced.")
    replace_regex: str = Field("", description="The replacement; $1 is the match of the first group.")
    options: RegexOptions = Field(default_factory=RegexOptions)

    def of(self, name: str) -> Replacement:
        return self.search_regex, "i" if self.options.case_insensitive else "", self.replace_regex, name


class RegexReplacements(Parameters):
    replacements: list[RegexReplacement] = Field(default_factory=list)


class AdditionalOptions(Parameters):
    ui_fields: ClassVar[UiFields] = REGEX_REPLACEMENTS

    regex_replacement: RegexReplacements = Field(default_factory=RegexReplacements)


class RenameKeys(Parameters):
    ui_fields: ClassVar[UiFields] = RENAMED

    keys: RenamedKeys = Field(default_factory=RenamedKeys)
    additional_options: AdditionalOptions = Field(default_factory=AdditionalOptions)

    def replacements(self) -> Sequence[RegexReplacement]:
        return self.additional_options.regex_replacement.replacements


def renamed(json: dict[str, Json], rows: Sequence[RenamedKey], item: int) -> dict[str, Json]:
    """The fields under their new names, one after the other; each value is the one that the field came with. Raises
    `NodeError`."""
    made = dict(json)
    for row in rows:
        there, value = get_path(json, row.current_key) if row.counts() else (False, None)
        if not there:
            continue
        try:
            set_path(made, row.new_key, value)
            remove_path(made, row.current_key)
        except ValueError as exc:
            raise NodeError(
                f"The parameter keys.key of item {item} cannot name '{row.new_key}' as a new field: {exc}.", item=item
            ) from None
    return made


def names_in(value: Json, depth: int) -> Iterator[str]:
    """The names of fields down to this many levels below; -1: all."""
    if isinstance(value, dict):
        yield from value
    if depth and isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from names_in(member, depth - 1)


def with_names(value: Json, depth: int, new: Mapping[str, str]) -> Json:
    """The same data with other names. A name that is there already is overwritten."""
    if isinstance(value, list):
        return [with_names(member, depth - 1, new) for member in value] if depth else value
    if not isinstance(value, dict):
        return value
    made = {key: with_names(member, depth - 1, new) if depth else member for key, member in value.items()}
    for key in value:
        if (name := new[key]) != key:
            made[name] = made.pop(key)
    return made


Replacing: TypeAlias = "Sequence[Sequence[RegexReplacement]]"
"""The regular expressions of each item."""


class RenameKeysNode(ModelNode):
    """Pure: changes nothing outside the execution."""

    kind = "renameKeys"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Rename Keys", "Gives fields of items other names.", "transform")
    model = RenameKeys

    def __init__(self, context: PluginContext) -> None:
        self._regexes = Regexes(context)

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: list[RenameKeys] = await run.resolve()
        items = run.items

        def one(index: int, given: RenameKeys) -> Items:
            return [{**passed_on(items[index], index), "json": renamed(items[index]["json"], given.keys.key, index)}]

        made = await mapped(run, parameters, one)
        replacing = [given.replacements() if is_resolved(given) else () for given in parameters]
        for number in range(max(map(len, replacing), default=0)):
            await self._replace(run, made, replacing, number)
        return [made]

    async def _replace(self, run: NodeRun, made: Items, replacing: Replacing, number: int) -> None:
        """Apply the regular expression with this number to every item that has one."""
        asked: dict[Replacement, None] = {}
        async for index, item in each(made):
            for row in replacing[index][number : number + 1]:
                asked.update((row.of(name), None) for name in names_in(item["json"], row.options.depth))
        answers = await self._regexes.replaced(asked)
        async for index, item in each(made):
            for row in replacing[index][number : number + 1]:
                names = {name: answers[row.of(name)] for name in names_in(item["json"], row.options.depth)}
                known = {name: new for name, new in names.items() if new is not None}
                if len(known) < len(names):
                    self._invalid(run, made, index, number)
                else:
                    json: dict[str, Json] = with_names(item["json"], row.options.depth, known)  # type: ignore[assignment]  # an object stays one
                    made[index] = {**item, "json": json}

    @staticmethod
    def _invalid(run: NodeRun, made: Items, index: int, number: int) -> None:
        where = f"additionalOptions.regexReplacement.replacements[{number}].searchRegex"
        error = NodeError(f"The parameter {where} of item {index} is no valid regular expression.", item=index)
        made[index] = error_item(accepted(run, error, index), index)


def node(context: PluginContext) -> RenameKeysNode:
    return RenameKeysNode(context)
