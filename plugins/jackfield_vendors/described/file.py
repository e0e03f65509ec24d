"""A whole description file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, model_validator

from jackfield_vendors.described.credentials import DescribedCredential
from jackfield_vendors.described.description import (
    DescribedList,
    DescribedNode,
    DescribedOperation,
    DescribedWords,
    DocumentShapes,
)
from jackfield_vendors.described.triggers import DescribedTrigger


class Description(BaseModel):
    """A node with its operations or its trigger, kinds of credentials, or both.

    `values`: named templates, `{@name}`. `shapes`: of parameters, by name. `lists`, `words`: see `DescribedList` and
    `DescribedWords`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    node: DescribedNode | None = None
    values: dict[str, str] = {}
    shapes: dict[str, DocumentShapes] = {}
    lists: dict[str, DescribedList] = {}
    words: DescribedWords = DescribedWords()
    operations: list[DescribedOperation] = []
    trigger: DescribedTrigger | None = None
    credentials: list[DescribedCredential] = []

    @model_validator(mode="after")
    def _together(self) -> Description:
        if self.operations and self.node is None:
            raise ValueError("operations need a [node]")
        if self.trigger is not None and (self.node is None or self.operations):
            raise ValueError("[trigger] stands beside a [node], and in place of [[operations]]")
        if self.node is not None and not self.operations and self.trigger is None:
            raise ValueError("a [node] needs [[operations]], or a [trigger]")
        return self
