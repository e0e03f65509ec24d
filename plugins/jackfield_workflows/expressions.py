"""Parameters with expressions, compiled once per workflow version and resolved once per item.

Source: facts/workflow-service.md section 2.4. A string that starts with `=` is a template, at any depth of objects and
lists; anything else is literal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_workflows.jsvalues import template_text
from jackfield_workflows.paths import Getter, compile_path
from jackfield_workflows.scope import ExpressionProblem, Scope
from jackfield_workflows.templates import Chunk, split

_NODE_NAMES = re.compile(
    r"""(?:\$items|\$)\s*\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`$]*)`)"""
    r"""|\$node\s*(?:\.\s*([\w$]+)|\[\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`$]*)`)\s*\])"""
)
_NODE_ROOTS = re.compile(r"\$(?:items|node|item)?\s*[(\[.]|\$node\b")
_ESCAPE = re.compile(r"\\(.)")


@record
class Leaf:
    """One parameter that has an expression. path: JSON path such as `assignments[0].value`."""

    path: str
    get: Getter
    sources: tuple[int, ...]


@record
class Names:
    """The nodes that sources name; everything: a name is computed, so that it may be any node."""

    known: frozenset[str]
    everything: bool


@record
class Parameters:
    """A node's compiled parameters. literal: their value when nothing has to be evaluated, else None; sources: what
    JavaScript evaluates, each source once; variables: whether `$vars` is named."""

    literal: Mapping[str, Json] | None
    get: Getter
    leaves: tuple[Leaf, ...]
    sources: tuple[str, ...]
    names: Names
    variables: bool

    def blame(self, scope: Scope) -> str | None:
        """The path of the parameter whose evaluation raises `ExpressionProblem` for the scope's item."""
        for leaf in self.leaves:
            try:
                leaf.get(scope)
            except ExpressionProblem:
                return leaf.path
        return None

    def path_of(self, source: int) -> str:
        """The first parameter that uses a JavaScript source."""
        return next((leaf.path for leaf in self.leaves if source in leaf.sources), "")


def compile_parameters(parameters: Mapping[str, Json]) -> Parameters:
    """Raises nothing: what is wrong with an expression shows when it is evaluated."""
    compiler = _Compiler()
    value = compiler.value(dict(parameters), "")
    literal = value.value if isinstance(value, _Literal) and isinstance(value.value, dict) else None
    return Parameters(
        literal=literal,
        get=(lambda scope: literal) if isinstance(value, _Literal) else value,
        leaves=tuple(compiler.leaves),
        sources=tuple(compiler.sources),
        names=names_in(compiler.sources),
        variables=compiler.variables,
    )


def names_in(sources: list[str] | tuple[str, ...]) -> Names:
    """Which nodes JavaScript sources can read."""
    known: set[str] = set()
    everything = False
    for source in sources:
        roots = sum(1 for _ in _NODE_ROOTS.finditer(source))
        found = list(_names(source))
        known.update(found)
        everything = everything or len(found) < roots
    return Names(frozenset(known), everything)


def _names(source: str) -> Iterator[str]:
    for match in _NODE_NAMES.finditer(source):
        text = next(group for group in match.groups() if group is not None)
        yield _ESCAPE.sub(r"\1", text)


@record
class _Literal:
    value: Json


class _Compiler:
    """Collects leaves and sources while it walks the parameters."""

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.sources: list[str] = []
        self.variables = False

    def value(self, value: Json, path: str) -> _Literal | Getter:
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
            return _Literal(base)  # type: ignore[arg-type]  # it is JSON like its source

        def get(scope: Scope) -> object:
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
            return _Literal(base)  # type: ignore[arg-type]  # it is JSON like its source

        def get(scope: Scope) -> object:
            out = base.copy()
            for index, child in computed:
                out[index] = child(scope)
            return out

        return get

    def _template(self, text: str, path: str) -> _Literal | Getter:
        chunks = split(text[1:])
        if not any(chunk.code for chunk in chunks):
            return _Literal("".join(chunk.text for chunk in chunks))
        used: list[int] = []
        get = self._bare(chunks[0], used) if len(chunks) == 1 else self._joined(chunks, used)
        self.leaves.append(Leaf(path, get, tuple(used)))
        return get

    def _bare(self, chunk: Chunk, used: list[int]) -> Getter:
        return self._python(chunk) or self._javascript(chunk.text, used)

    def _joined(self, chunks: list[Chunk], used: list[int]) -> Getter:
        parts: list[str | Getter] = []
        for chunk in chunks:
            if not chunk.code:
                parts.append(chunk.text)
            else:
                parts.append(self._python(chunk) or self._javascript(_as_text(chunk.text), used))

        def get(scope: Scope) -> object:
            return "".join([part if type(part) is str else template_text(part(scope)) for part in parts])  # type: ignore[operator]

        return get

    def _python(self, chunk: Chunk) -> Getter | None:
        if "$vars" in chunk.text:
            self.variables = True
        return compile_path(chunk.text) if chunk.text.strip() else _undefined

    def _javascript(self, source: str, used: list[int]) -> Getter:
        if source not in self.sources:
            self.sources.append(source)
        index = self.sources.index(source)
        used.append(index)
        return lambda scope: scope.scripted[index]


def _undefined(scope: Scope) -> object:
    return None


def _as_text(code: str) -> str:
    """The code's value as a template prints it, so that JavaScript's own rules hold for its dates and other objects."""
    body = code.strip().removesuffix(";")
    return f'((value) => value == null || value !== value ? "" : `${{value}}`)(\n{body}\n)'
