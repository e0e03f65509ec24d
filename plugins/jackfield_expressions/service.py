"""The port `Expressions`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.expressions import EndedRuns, Reads
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield_expressions.pairing import ItemPairing
from jackfield_expressions.parameters import ExpressionParameters, compile_parameters
from jackfield_expressions.templates import split


class ExpressionsService:
    """`Expressions` in Python closures."""

    def __init__(self, context: PluginContext) -> None:
        pass

    def compile(
        self,
        parameters: Mapping[str, Json],
        as_json: Collection[str] = (),
        late: Collection[str] = (),
        undefined: Collection[str] = (),
    ) -> ExpressionParameters:
        return compile_parameters(parameters, as_json, late, undefined)

    def script_reads(self, source: str, language: str) -> Reads:
        reads = cast("Callable[[str, str], Reads]", load("jackfield_expressions.reading:script_reads"))
        return reads(source, language)

    def is_closed(self, template: str) -> bool:
        return not any(chunk.code and not chunk.raw.endswith("}}") for chunk in split(template))

    def code_places(self, template: str) -> Sequence[tuple[int, int]]:
        places: list[tuple[int, int]] = []
        start = 0
        for chunk in split(template):
            end = start + len(chunk.raw)
            if chunk.code:
                places.append((start, end))
            start = end
        return places

    def pairing(self, runs: EndedRuns) -> ItemPairing:
        return ItemPairing(runs)
