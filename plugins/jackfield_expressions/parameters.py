"""Parameters with expressions, compiled once per workflow version and resolved once per item.

A string that starts with `=` is a template, at any depth of objects and lists; anything else is literal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from jackfield.api.expressions import ExpressionProblem, Reads, RunSurroundings
from jackfield.api.javascript import UNDEFINED, NotExact
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.workflows import Item
from jackfield_expressions.paths import Getter, compile_path
from jackfield_expressions.scope import ItemEvaluation, ItemScope
from jackfield_expressions.templates import TemplatePiece, split
from jackfield_expressions.values import json_template_text, template_text

if TYPE_CHECKING:
    from jackfield_expressions.evaluator.compiling import Evaluator

_EVALUATOR = "jackfield_expressions.evaluator.compiling:Evaluator"
_READS = "jackfield_expressions.reading:reads_of"
"""Most workflows have paths alone, so that these are loaded late."""


@record
class ExpressionLeaf:
    """One parameter that has an expression. path: JSON path such as `assignments[0].value`."""

    path: str
    get: Getter
    sources: tuple[int, ...]


@record
class ExpressionParameters:
    """`CompiledParameters`. `get` raises `NotExact` where JavaScript has to evaluate what Python would: then
    `by_javascript` holds the same parameters for that. `literal`: their value when nothing has to be evaluated, else
    None. `sources`: what JavaScript evaluates, each source once. `reads`: what these read. `variables`: whether `$vars`
    is named. `with_leaves`: see `CompiledParameters`."""

    literal: Mapping[str, Json] | None
    get: Getter
    leaves: tuple[ExpressionLeaf, ...]
    sources: tuple[str, ...]
    reads: Reads
    variables: bool
    by_javascript: Callable[[], ExpressionParameters]
    with_leaves: Callable[[Callable[[int], object]], object]

    def blame(self, scope: ItemScope) -> str | None:
        """The path of the parameter whose evaluation raises `ExpressionProblem` for the scope's item."""
        for leaf in self.leaves:
            try:
                leaf.get(scope)
            except ExpressionProblem:
                return leaf.path
            except NotExact:
                continue
        return None

    def evaluation(self, items: Sequence[Item], around: RunSurroundings) -> ItemEvaluation:
        return ItemEvaluation(self.get, [leaf.get for leaf in self.leaves], self.blame, items, around)

    def path_of(self, source: int) -> str:
        """The first parameter that uses a JavaScript source."""
        return next((leaf.path for leaf in self.leaves if source in leaf.sources), "")


def compile_parameters(
    parameters: Mapping[str, Json],
    as_json: Collection[str] = (),
    late: Collection[str] = (),
    undefined: Collection[str] = (),
) -> ExpressionParameters:
    """See `jackfield.api.expressions.Expressions.compile`."""
    paths = _Paths(as_json, late, undefined)

    def with_leaves(leaf: Callable[[int], object]) -> object:
        placed = _LeafPlacer(paths, leaf).value(dict(parameters), "")
        return placed.value if isinstance(placed, _Literal) else None

    @cache
    def by_javascript() -> ExpressionParameters:
        return _compile(parameters, _Compiler(paths, compile_simple=False), by_javascript, with_leaves)

    return _compile(parameters, _Compiler(paths, compile_simple=True), by_javascript, with_leaves)


def _compile(
    parameters: Mapping[str, Json],
    compiler: _Compiler,
    by_javascript: Callable[[], ExpressionParameters],
    with_leaves: Callable[[Callable[[int], object]], object],
) -> ExpressionParameters:
    value = compiler.value(dict(parameters), "")
    literal = value.value if isinstance(value, _Literal) and isinstance(value.value, dict) else None
    return ExpressionParameters(
        literal=literal,
        get=(lambda scope: literal) if isinstance(value, _Literal) else value,
        leaves=tuple(compiler.leaves),
        sources=tuple(compiler.sources),
        reads=_reads(compiler.sources),
        variables=compiler.variables,
        by_javascript=by_javascript,
        with_leaves=with_leaves,
    )


def _reads(sources: list[str]) -> Reads:
    if not sources:
        return Reads()
    reads = cast("Callable[[Iterable[str]], Reads]", load(_READS))
    return reads(sources)


def _evaluator() -> type[Evaluator]:
    return cast("type[Evaluator]", load(_EVALUATOR))


@record
class _Literal:
    value: object


def _first(plain: Getter, exact: Getter) -> Getter:
    """A plain path is fast, and cannot tell null from undefined."""

    def get(scope: ItemScope) -> object:
        value = plain(scope)
        return exact(scope) if value is None else value

    return get


class _Paths(NamedTuple):
    """Parameters that are compiled otherwise; see `jackfield.api.expressions.Expressions.compile`."""

    as_json: Collection[str]
    late: Collection[str]
    undefined: Collection[str]


class _Compiler:
    """Collects leaves and sources while it walks the parameters."""

    def __init__(self, paths: _Paths, *, compile_simple: bool) -> None:
        self._paths = paths
        self._compile = compile_simple
        self.leaves: list[ExpressionLeaf] = []
        self.sources: list[str] = []
        self.variables = False

    def value(self, value: Json, path: str) -> _Literal | Getter:
        if path in self._paths.late:
            return _Literal(value)
        if isinstance(value, str):
            return self._template(value, path) if value.startswith("=") else _Literal(value)
        if isinstance(value, dict):
            return self._object(value, path)
        if isinstance(value, list):
            return self._list(value, path)
        return _Literal(value)

    def _object(self, value: dict[str, Json], path: str) -> _Literal | Getter:
        base: dict[str, object] = {}
        computed: list[tuple[str, Getter]] = []
        for key, child in value.items():
            made = self.value(child, f"{path}.{key}" if path else key)
            if isinstance(made, _Literal):
                base[key] = made.value
            else:
                base[key] = None
                computed.append((key, made))
        if not computed:
            return _Literal(base)

        def get(scope: ItemScope) -> object:
            out = base.copy()
            for key, child in computed:
                out[key] = child(scope)
            return out

        return get

    def _list(self, value: list[Json], path: str) -> _Literal | Getter:
        base: list[object] = []
        computed: list[tuple[int, Getter]] = []
        for index, child in enumerate(value):
            made = self.value(child, f"{path}[{index}]")
            if isinstance(made, _Literal):
                base.append(made.value)
            else:
                base.append(None)
                computed.append((index, made))
        if not computed:
            return _Literal(base)

        def get(scope: ItemScope) -> object:
            out = base.copy()
            for index, child in computed:
                out[index] = child(scope)
            return out

        return get

    def _template(self, text: str, path: str) -> _Literal | Getter:
        chunks = split(text[1:])
        if not any(chunk.code for chunk in chunks):
            return _Literal("".join(chunk.text for chunk in chunks))
        return self._expression(chunks, path)

    def _expression(self, chunks: Sequence[TemplatePiece], path: str) -> _Literal | Getter:
        used: list[int] = []
        print_as = _JSON if path in self._paths.as_json else _TEXT
        if len(chunks) > 1:
            get = self._joined(chunks, used, print_as)
        else:
            get = (self._exact if path in self._paths.undefined else self._bare)(chunks[0], used)
        self.leaves.append(ExpressionLeaf(path, get, tuple(used)))
        return get

    def _bare(self, chunk: TemplatePiece, used: list[int]) -> Getter:
        get = self._path(chunk)
        if get is None and self._compile:
            get = _evaluator().as_json(chunk.text)
        return get or self._javascript(chunk.text, used)

    def _exact(self, chunk: TemplatePiece, used: list[int]) -> Getter:
        """As `_bare`, but undefined is `UNDEFINED`, and NaN is NaN."""
        plain = self._path(chunk)
        get = _evaluator().exact(chunk.text, UNDEFINED) if self._compile else None
        if get is not None:
            return get if plain is None else _first(plain, get)
        scripted = self._javascript(AS_LIST + chunk.text, used)
        return lambda scope: _only(scripted(scope))

    def _joined(self, chunks: Sequence[TemplatePiece], used: list[int], print_as: _Printing) -> Getter:
        parts: list[str | Getter] = []
        for chunk in chunks:
            if not chunk.code:
                parts.append(chunk.text)
            else:
                parts.append(self._printable(chunk, print_as) or self._javascript(print_as.source(chunk.text), used))

        printed = print_as.value

        def get(scope: ItemScope) -> object:
            return "".join([part if type(part) is str else printed(part(scope)) for part in parts])  # type: ignore[operator]

        return get

    def _path(self, chunk: TemplatePiece) -> Getter | None:
        if "$vars" in chunk.text:
            self.variables = True
        return compile_path(chunk.text)

    def _printable(self, chunk: TemplatePiece, print_as: _Printing) -> Getter | None:
        path = self._path(chunk)
        if path is not None and print_as is not _JSON:  # a path tells no undefined from null
            return path
        return print_as.simple(chunk.text) if self._compile else None

    def _javascript(self, source: str, used: list[int]) -> Getter:
        if source not in self.sources:
            self.sources.append(source)
        index = self.sources.index(source)
        used.append(index)
        return lambda scope: scope.scripted[index]


class _LeafPlacer(_Compiler):
    """Puts what `leaf` gives where a compiler has the leaf of the same number, so that nothing is left to evaluate."""

    def __init__(self, paths: _Paths, leaf: Callable[[int], object]) -> None:
        super().__init__(paths, compile_simple=False)
        self._leaf = leaf
        self._placed = 0

    def _expression(self, chunks: Sequence[TemplatePiece], path: str) -> _Literal | Getter:
        self._placed += 1
        return _Literal(self._leaf(self._placed - 1))


def _only(row: object) -> object:
    """The value that `AS_LIST` gave."""
    if not isinstance(row, list) or not row:
        return UNDEFINED
    return row[0] if len(row) == 1 else math.nan


AS_TEXT, AS_JSON_TEXT, AS_LIST = "\x01", "\x02", "\x03"
"""In front of code that JavaScript evaluates, these ask for another form of its value. One is printed as a template
does, so that JavaScript's own rules hold for its dates and other objects. Printed as a JSON text does, with objects as
JSON and everything else as it is, null and undefined by their names. In a list, which is empty where the value is
undefined, and has two entries for NaN."""


@record
class _Printing:
    """How the pieces of code in a joined template print. value: what Python has; source: what JavaScript evaluates;
    simple: what Python evaluates, or None."""

    value: Callable[[object], str]
    source: Callable[[str], str]
    simple: Callable[[str], Getter | None]


_TEXT = _Printing(template_text, lambda code: AS_TEXT + code, lambda code: _evaluator().as_text(code))
_JSON = _Printing(
    json_template_text, lambda code: AS_JSON_TEXT + code, lambda code: _evaluator().compiled(code, UNDEFINED)
)
