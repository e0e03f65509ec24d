"""Parameters of Merge version 1."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from jackfield.api.nodes import Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.merging.form import LEGACY

LegacyMode: TypeAlias = Literal[
    "append",
    "keepKeyMatches",
    "mergeByIndex",
    "mergeByKey",
    "multiplex",
    "passThrough",
    "removeKeyMatches",
    "wait",
]


class LegacyMerge(Parameters):
    ui_fields: ClassVar[UiFields] = LEGACY

    mode: LegacyMode = Field("append", description="How the two inputs come together.")
    join: Literal["inner", "left", "outer"] = Field("left", description="By index: which items go out.")
    property_name1: str = Field(
        "",
        description="By key: name of the key in the first input.",
        json_schema_extra=needed({"mode": ["keepKeyMatches", "mergeByKey", "removeKeyMatches"]}),
    )
    property_name2: str = Field(
        "",
        description="By key: name of the key in the second input.",
        json_schema_extra=needed({"mode": ["keepKeyMatches", "mergeByKey", "removeKeyMatches"]}),
    )
    output: Literal["input1", "input2"] = Field("input1", description="Pass through: the input that goes out.")
    overwrite: Literal["always", "blank", "undefined"] = Field(
        "always", description="By key: which fields of the first input the second one replaces."
    )


LEGACY_ONLY = frozenset(
    {"keepKeyMatches", "mergeByIndex", "mergeByKey", "multiplex", "passThrough", "removeKeyMatches"}
)
"""Modes that tell version 1 where a document has no typeVersion."""
