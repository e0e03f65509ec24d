"""Expressions in parameters: the port that compiles and evaluates them, and what an engine gives for that.

An engine compiles a node's parameters once. Per node run it makes an evaluation and asks it for the value of each item.
Source that Python does not evaluate is JavaScript, which the engine lets a script engine evaluate first
(`jackfield.api.scripts`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import NamedTuple, Protocol, TypeAlias

from .jsontext import Json
from .records import record
from .workflows import Item, Outputs

Fields: TypeAlias = "dict[str, Fields] | None"
"""Fields of an object, each with those read of its value; None: all."""


@record
class NodeReads:
    """The parts that an expression reads of another node.

    `fields`: of its items' `json`. `paired`: only the items that `.item` gives.
    """

    fields: Fields
    paired: bool


@record
class Reads:
    """`item`: the fields of the input items' `json`.

    `whole_items`: their other parts and all of `json` too. `nodes`: by name. `everything`: a name is computed, so that
    it may be any node. `pairs`: whether `.item` and the like occur. `parameters`: whether a node's own parameters are
    read.
    """

    item: Fields = field(default_factory=dict)
    whole_items: bool = False
    nodes: Mapping[str, NodeReads] = field(default_factory=dict)
    everything: bool = False
    pairs: bool = False
    parameters: bool = False


def projected(value: Json, fields: Fields) -> Json:
    """The value with these fields only; a list, and whatever has no fields, is left whole."""
    if fields is None or type(value) is not dict:
        return value
    return {name: projected(value[name], below) for name, below in fields.items() if name in value}


def projected_item(item: Item, fields: Fields) -> Item:
    """The item with these fields of its `json` and nothing else."""
    return {"json": projected(item["json"], fields)}  # type: ignore[typeddict-item]  # an object like the item's own


class ExpressionProblem(Exception):
    """An expression names what does not exist or cannot be traced.

    The user sees it, unlike run-time errors. `path`: of the parameter that has the expression, once that is known.
    """

    path: str | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ItemPosition(NamedTuple):
    """One item of one output of one run of a node."""

    node: str
    run: int
    output: int
    item: int


class EndedRun(Protocol):
    """A node run that is over."""

    @property
    def outputs(self) -> Outputs: ...

    @property
    def sources(self) -> Sequence[tuple[str, int, int] | None]:
        """Per input the node, run and output that its items came from; None when nothing reached it."""


EndedRuns: TypeAlias = Mapping[str, Sequence[EndedRun]]
"""Per node its runs, in order."""


class Pairing(Protocol):
    """Follows `pairedItem` back through the runs of one execution, for one node run."""

    def item_at(self, place: ItemPosition) -> Item | None:
        """The item there, if there is one."""

    def trace(self, source: tuple[str, int, int] | None, index: int, name: str) -> ItemPosition:
        """The item of node `name` that the item at `index` of an input descends from. source: where that input comes
        from. Of several runs of the node, the nearest. Raises `ExpressionProblem` when there is none or more than
        one."""


class RunSurroundings(Protocol):
    """The execution around a node run. Methods that take a node's name raise `ExpressionProblem`."""

    @property
    def run_index(self) -> int:
        """How often the node ran before in this execution."""

    @property
    def execution(self) -> Mapping[str, Json]:
        """`$execution`"""

    @property
    def workflow(self) -> Mapping[str, Json]:
        """`$workflow`"""

    @property
    def timezone(self) -> str:
        """The workflow's time zone."""

    def now_ms(self) -> int:
        """Unix time, which is `$now` from the first time that a node run asks."""

    @property
    def variables(self) -> Mapping[str, str]:
        """`$vars`"""

    @property
    def environment(self) -> Mapping[str, str]:
        """`$env`: the allowed names only."""

    def paired(self, name: str, index: int) -> Item:
        """`$('name').item` for the input item at this index."""

    def first(self, name: str) -> Item | None:
        """`$('name').first()`"""

    def last(self, name: str) -> Item | None:
        """`$('name').last()`"""

    def all(self, name: str) -> Sequence[Item]:
        """`$('name').all()`"""

    def at(self, name: str, index: int) -> Item:
        """`$node["name"]` for the input item at this index."""


class Evaluation(Protocol):
    """The parameters of one node run, item by item."""

    def now_ms(self) -> int:
        """`$now`, the same for every item of a node run."""

    def at(self, index: int, scripted: Sequence[object] = ()) -> object:
        """The parameters' value for the item at this index, past the end for an empty one: an object like the
        parameters. `scripted`: what JavaScript made of their sources for this item.

        Raises:
            ExpressionProblem: With the path of the parameter.
            NotExact: JavaScript has to evaluate what Python would: take `by_javascript`.
        """

    def leaves(self, index: int, scripted: Sequence[object] = ()) -> list[object]:
        """The same, but of the expressions alone, in the order of `CompiledParameters.with_leaves`. Raises as `at`."""


class CompiledParameters(Protocol):
    """A node's parameters, compiled once."""

    @property
    def literal(self) -> Mapping[str, Json] | None:
        """Their value when nothing has to be evaluated, else None."""

    @property
    def sources(self) -> Sequence[str]:
        """The sources for JavaScript, each once."""

    @property
    def with_leaves(self) -> Callable[[Callable[[int], object]], object]:
        """Gives the parameters' value with what it is given in place of each expression, by the expression's number;
        the same for `by_javascript`."""

    @property
    def reads(self) -> Reads:
        """The nodes and fields that these sources read."""

    @property
    def variables(self) -> bool:
        """Whether `$vars` is named."""

    def by_javascript(self) -> CompiledParameters:
        """The same parameters without what Python evaluates beyond property paths."""

    def evaluation(self, items: Sequence[Item], around: RunSurroundings) -> Evaluation:
        """For one node run over these items."""

    def path_of(self, source: int) -> str:
        """The first parameter that uses a JavaScript source, by its index."""


class Expressions(Protocol):
    """The port: the expression language of workflows."""

    def compile(
        self,
        parameters: Mapping[str, Json],
        as_json: Collection[str] = (),
        late: Collection[str] = (),
        undefined: Collection[str] = (),
    ) -> CompiledParameters:
        """A string that starts with `=` is a template, at any depth of objects and lists.

        Anything else is literal. `as_json`: paths of parameters whose templates are JSON texts, in which objects and
        lists print as JSON. `late`: paths that stay as written, with all below. `undefined`: paths of parameters that
        are `UNDEFINED` where their expression is, instead of None. Raises nothing: what is wrong with an expression
        shows when it is evaluated.
        """

    def script_reads(self, source: str, language: str) -> Reads:
        """The reads of a Code node's source: all the items, and those of the nodes that it names."""

    def is_closed(self, template: str) -> bool:
        """Whether every `{{` of a template, without its `=`, is closed with `}}`."""

    def code_places(self, template: str) -> Sequence[tuple[int, int]]:
        """Where a template, without its `=`, has code: the beginning and the end of each `{{ ... }}`, in characters."""

    def pairing(self, runs: EndedRuns) -> Pairing:
        """For one node run of an execution with these runs, which may become more."""


@record
class ExpressionMember:
    """A member that an editor proposes behind a value.

    `arguments`: as `(start, end?)`, "" for a property. `returns`: the type of the result, a key of the vocabulary or
    `any`. Also `element` (of a list), `same` (the value that it is called on), `strings`, `items` (lists). Only data
    tell of `json`, `params`, `parameters`, `vars` and `env`. `help`: one sentence. `example`: an expression. `result`:
    its value as JSON, None where that is another one every time.
    """

    name: str
    arguments: str
    returns: str
    help: str
    example: str
    result: str | None = None


class ExpressionVocabulary(Protocol):
    """The port: what the values of expressions offer, of the engine that evaluates them."""

    async def members(self) -> Mapping[str, Sequence[ExpressionMember]]:
        """By type, the useful ones first: `string`, `number`, `boolean`, `array`, `object`, `date` (JavaScript's),
        `dateTime`, `duration`, `interval` (Luxon's) and so on. `global` has the words that an expression begins with.
        """


class ItemReference(NamedTuple):
    """One part of `pairedItem`. run: None for the run that gave the item."""

    item: int
    input: int = 0
    run: int | None = None


def references_of(pair: object) -> list[ItemReference]:
    """`pairedItem` in any of its forms; what is no reference is left out."""
    if isinstance(pair, bool) or pair is None:
        return []
    if isinstance(pair, int):
        return [ItemReference(pair)] if pair >= 0 else []
    if isinstance(pair, dict):
        item, index, run = pair.get("item"), pair.get("input", 0), pair.get("run")
        fits = type(item) is int and type(index) is int and item >= 0 and index >= 0
        known = run is None or (type(run) is int and run >= 0)
        return [ItemReference(item, index, run)] if fits and known else []  # type: ignore[arg-type]  # checked above
    if isinstance(pair, list):
        return [reference for one in pair for reference in references_of(one)]
    return []
