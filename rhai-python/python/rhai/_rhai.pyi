from collections.abc import Callable
from typing import Any, TypedDict, final, type_check_only

__all__ = ["AST", "MAX_NESTING", "Engine"]

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

@final
class Engine:
    """Runs Rhai scripts within limits. Safe to use from several threads at once.

    Sizes of strings and `max_memory` are in bytes, `timeout` is in seconds (`math.inf` for none) and holds for each
    evaluation that does not say otherwise. `max_array_size` and `max_map_size` count the items of one value with all
    that it holds. 0 means no limit for operations and functions, and the maximum for sizes, `max_expr_depth` and
    `max_memory`; what is above a maximum is lowered to it, and `limits` tells what holds.

    `on_print(text)` and `on_debug(text, source, line, column)` get what scripts print. `modules` maps the names that
    scripts may import to scripts, each of which may import those before it.

    Raises ValueError for a negative limit, TypeError for a listener that cannot be called or a module that is neither
    text nor AST, RhaiError for a module that fails.
    """

    # A script's value depends on the script: None, bool, int, float, str, bytes, Decimal, list, dict.
    def __new__(
        cls,
        *,
        max_operations: int = 100_000,
        max_call_levels: int = 64,
        max_expr_depth: int = 64,
        max_string_size: int = 1_048_576,
        max_array_size: int = 10_000,
        max_map_size: int = 10_000,
        max_functions: int = 1000,
        max_memory: int = 33_554_432,
        timeout: float = 2.0,
        on_print: Callable[[str], object] | None = None,
        on_debug: Callable[[str, str | None, int | None, int | None], object] | None = None,
        modules: dict[str, str | AST] | None = None,
    ) -> Engine: ...
    def register_fn(self, name: str, function: Callable[..., object]) -> None:
        """Lets scripts call `function` as `name`, or `ns::name`; a function of that name is replaced.

        It may take up to 10 positional arguments. Evaluations that already run do not see it. What it raises passes
        through the script unchanged; scripts may catch what derives from Exception.

        Raises ValueError for a name that scripts cannot call, TypeError if `function` is not callable or needs keyword
        arguments.
        """
    def compile(self, src: str, source: str | None = None) -> AST:
        """Compiles a script of up to 1 MiB; `source` names it in errors.

        Raises RhaiSyntaxError, RhaiLimitError for a text that is too large, RhaiTimeout after the engine's `timeout`.
        """
    def compile_expression(self, src: str, source: str | None = None) -> AST:
        """Compiles one expression: no statements, no loops, no functions. For conditions. Raises as `compile` does."""
    def eval(self, script: str | AST, scope: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
        """Runs a script and returns its value: None, bool, int, float, str, bytes, Decimal, or lists and dicts of them.

        `scope` gives the script's variables; it is not changed. `timeout` is in seconds, `math.inf` for none; None
        means the engine's.

        Raises RhaiError, or what a registered function or a listener raised; for a variable that Rhai cannot hold
        TypeError (no such type), OverflowError (beyond 64 bits, or the digits of a decimal) or ValueError (nested too
        deep, not finite, a lone surrogate), with the path to it.
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
