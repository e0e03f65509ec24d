from collections.abc import Callable
from typing import Any, TypedDict, final, type_check_only

__all__ = ["AST", "MAX_NESTING", "Engine"]

MAX_NESTING: int

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
    """Runs Rhai scripts within limits. Safe to use from several threads at once."""

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
        """Lets scripts call `function` as `name`, or `ns::name`."""
    def compile(self, src: str, source: str | None = None) -> AST:
        """Compiles a script; `source` names it in errors. Raises RhaiSyntaxError."""
    def compile_expression(self, src: str, source: str | None = None) -> AST:
        """Compiles one expression: no statements, no loops, no functions."""
    def eval(self, script: str | AST, scope: dict[str, Any] | None = None, timeout: float | None = None) -> Any:
        """Runs a script and returns its value. Raises RhaiError, or what a registered function raised."""
    def call_fn(self, ast: AST, name: str, *args: object, timeout: float | None = None) -> Any:
        """Runs a compiled script, then calls its function `name`, and returns the function's value."""
    def cancel(self) -> None:
        """Ends the evaluations that run now, in any thread; later ones are not affected."""
    @property
    def limits(self) -> _Limits:
        """The limits in force, by their names in the constructor."""
