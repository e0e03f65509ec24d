"""The forms of one vendor's node, made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from jackfield.api.nodes.forms import NodeField
from jackfield_vendors.described.description import DescribedNode, DocumentShape
from jackfield_vendors.described.file import Description
from jackfield_vendors.forms.fields import FieldMaker
from jackfield_vendors.forms.making import FormSource, NodeFormMaker
from jackfield_vendors.forms.questions import question_shapes, shape_reader
from jackfield_vendors.forms.words import form_words
from jackfield_vendors.operations import CompiledOperation


class VendorForms:
    """node: of the description. shapes: a file beside it with more of its table `shapes`; None: there is none."""

    def __init__(
        self,
        node: DescribedNode,
        description: Description,
        operations: Sequence[CompiledOperation],
        shapes: Path | None,
    ) -> None:
        self._node = node
        self._description = description
        self._operations = [one.described for one in operations]
        self._file = shapes
        self._made: dict[float, list[NodeField]] = {}

    def of(self, version: float) -> Sequence[NodeField]:
        """The fields of this version; versions that agree have the same list."""
        if version not in self._made:
            made = self._maker.made(version)
            self._made[version] = next((known for known in self._made.values() if known == made), made)
        return self._made[version]

    @cached_property
    def _maker(self) -> NodeFormMaker:
        words = form_words().with_own(self._description.words)
        questions = {
            (one.resource, one.operation): question_shapes(one.question)
            for one in self._operations
            if one.question is not None
        }
        source = FormSource(self._node, self._operations, self._description.values, self._shapes(), questions)
        return NodeFormMaker(source, words, FieldMaker(words, self._description.lists))

    def _shapes(self) -> Mapping[str, Sequence[DocumentShape]]:
        shipped: dict[str, list[DocumentShape]] = {}
        if self._file is not None and self._file.is_file():
            shipped = shape_reader().validate_json(self._file.read_bytes())
        return {**shipped, **self._description.shapes}
