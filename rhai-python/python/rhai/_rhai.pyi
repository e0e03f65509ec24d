from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, TypedDict, TypeVar, final, overload, type_check_only

__all__ = ["AST", "MAX_NESTING", "Engine", "Scope", "ScriptFunction", "__version__"]

_FunctionT = TypeVar("_FunctionT", bound=Callable[..., object])

__version__: str

MAX_NESTING: int
"""Levels of lists and dicts inside of each other that pass between Python and a script."""

@type_check_only
class _Limits(TypedDict):
    max_operations: int
    max_call_levels: int
    max_expr_depth: int
    max_string_size: int
    max_array_size: int
    max_map_size: int
    max_functions: int
    max_memory: int
    timeout: float

@final
class AST:
    """A compiled script. Immutable: share it between threads and engines as you like."""

    @property
    def source(self) -> str | None:
        """The name that errors of this script carry, or None."""
    @property
    def functions(self) -> tuple[ScriptFunction, ...]:
        """The functions that the script defines, by name and then by number of parameters."""

@final
class ScriptFunction:
    """A function that a script defines."""

    @property
    def name(self) -> str:
        """By which it is called."""
    @property
    def parameters(self) -> list[str]:
        """Names of its parameters."""
    @property
    def private(self) -> bool:
        """Whether other scripts that import this one may not call it."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Scope:
    """Variables that a script may change, and that you read back when it has ended. They are the ones that it got, and
    those that it made with `let` or `const` outside of its blocks. It is a mutable mapping, used like a dict.

    A script that fails changes nothing. A value that Python cannot hold, such as a function pointer, is not read back.
    Use one in one thread at a time.
    """

    # A variable's value depends on the script.
    def __new__(cls, variables: Mapping[str, Any] | Scope | Iterable[tuple[str, Any]] | None = None) -> Scope: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def __setitem__(self, name: str, value: Any, /) -> None: ...
    def __delitem__(self, name: str, /) -> None: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> KeysView[str]:
        """The keys that `dict(scope)` and `**scope` ask for."""
    def values(self) -> ValuesView[Any]:
        """The values, in the order of the variables."""
    def items(self) -> ItemsView[str, Any]:
        """Pairs of a name and a value."""
    def get(self, name: str, default: Any = None, /) -> Any:
        """The value of a variable, or `default` where it is not there."""
    def pop(self, name: str, /, *default: Any) -> Any:
        """Takes a variable out; KeyError where it is not there and there is no default."""
    def popitem(self) -> tuple[str, Any]:
        """Takes the newest variable out; KeyError where there is none."""
    def setdefault(self, name: str, default: Any = None, /) -> Any:
        """The value of a variable, which is made with `default` where it is not there."""
    def update(self, variables: Mapping[str, Any] | Scope | Iterable[tuple[str, Any]], /) -> None:
        """Takes over variables of a mapping, or of pairs."""
    def clear(self) -> None:
        """Takes all variables out."""
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]  # it changes, as a dict does

@final
class Engine:
    """Runs Rhai scripts within limits. Safe to use from several threads at once.

    Sizes of strings and `max_memory` are in bytes, `timeout` is in seconds (`math.inf` for none) and holds for each
    evaluation that does not say otherwise. `max_array_size` and `max_map_size` count the items of one value with all
    that it holds. None or 0 means no limit for operations and functions, and the maximum for sizes, `max_expr_depth`
    and `max_memory`. Of `max_call_levels` None is the maximum, and 0 permits no calls. The engine lowers a value above
    a maximum to it, and `limits` tells the values that hold. A `timeout` of None is none.

    `on_print(text)` and `on_debug(text, source, line, column)` get what scripts print. `modules` maps the names that
    scripts may import to scripts, each of which may import those before it. `default(value)` gets a value of Python's
    that has no counterpart in Rhai, and gives another one in its place. The evaluation raises what `default` raises.

    Raises ValueError for a negative limit. Raises TypeError for a listener that cannot be called or is asynchronous,
    and for a module that is neither text nor AST. Raises RhaiError for a module that fails.
    """

    # A script's value depends on the script: None, bool, int, float, str, bytes, Decimal, list, dict.
    def __new__(
        cls,
        *,
        max_operations: int | None = 100_000,
        max_call_levels: int | None = 64,
        max_expr_depth: int | None = 64,
        max_string_size: int | None = 1_048_576,
        max_array_size: int | None = 10_000,
        max_map_size: int | None = 10_000,
        max_functions: int | None = 1000,
        max_memory: int | None = 33_554_432,
        timeout: float | None = 2.0,
        on_print: Callable[[str], object] | None = None,
        on_debug: Callable[[str, str | None, int | None, int | None], object] | None = None,
        modules: dict[str, str | AST] | None = None,
        default: Callable[[Any], object] | None = None,
    ) -> Engine: ...
    @overload
    def register_fn(self, name: str, function: _FunctionT) -> _FunctionT: ...
    @overload
    def register_fn(self, name: str, function: None = None) -> Callable[[_FunctionT], _FunctionT]: ...
    @overload
    def register_fn(self, name: None = None, function: None = None) -> Callable[[_FunctionT], _FunctionT]: ...
    @overload
    def register_fn(self, name: None = None, *, function: _FunctionT) -> _FunctionT: ...
    @overload
    def register_fn(self, name: _FunctionT, function: None = None) -> _FunctionT:
        """Lets scripts call `function` as `name`, or `ns::name`; a function of that name is replaced. Gives the
        function back. Also a decorator: `@engine.register_fn`, or `@engine.register_fn("ns::name")`.

        It may take up to 10 positional arguments. Evaluations that already run do not see it. Its exceptions pass
        through the script unchanged; scripts may catch those that derive from Exception.

        Raises ValueError for a name that scripts cannot call. Raises TypeError if `function` is not callable, is
        asynchronous, or needs keyword arguments, or if it has no name and you give none.
        """
    def compile(self, src: str, source: str | None = None) -> AST:
        """Compiles a script of up to 1 MiB; `source` names it in errors.

        Raises RhaiSyntaxError, RhaiLimitError for a text that is too large, RhaiTimeout after the engine's `timeout`.
        """
    def compile_expression(self, src: str, source: str | None = None) -> AST:
        """Compiles one expression: no statements, no loops, no functions. For conditions. Raises as `compile` does."""
    def eval(self, script: str | AST, scope: dict[str, Any] | Scope | None = None, timeout: float | None = None) -> Any:
        """Runs a script and returns its value: None, bool, int, float, str, bytes, Decimal, or lists and dicts of them.

        A dict comes back with its keys in their order; keys that the script adds follow. A map that the script makes
        has its keys as the script's text sets them. Past 65,536 different orders in one evaluation, keys are sorted.

        `scope` gives the script's variables: a dict is not changed, into a `Scope` they are read back. `timeout` is in
        seconds, `math.inf` for none; None means the engine's.

        Raises RhaiError, or the exception of a registered function or a listener. For a variable that Rhai cannot hold,
        the error has the path to it. It is TypeError (no such type), OverflowError (beyond 64 bits, or the digits of a
        decimal), or ValueError (nested too deep, not finite, lone surrogate).
        """
    def call_fn(self, ast: AST, name: str, *args: object, timeout: float | None = None) -> Any:
        """Runs a compiled script, then calls its function `name` with `args`, and returns the function's value.

        Raises as `eval` does.
        """
    def cancel(self) -> None:
        """Ends the evaluations that run now, in any thread, with RhaiCancelled; later ones are not affected."""
    @property
    def limits(self) -> _Limits:
        """The limits in force, by their names in the constructor."""
