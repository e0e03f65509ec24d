"""Tools without their own settings: the calculator, and the place to think."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, NoParameters, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Text
from jackfield_ai.tools.form import NAMED_TOOL
from jackfield_ai.tools.toolbox import FunctionTool

MAX_EXPRESSION = 1_000
_MAX_EXPONENT = 10_000
_MAX_DIGITS = 400
THOUGHT = (
    "Use the tool to think about something. It does not obtain new information or change the database, but just "
    "appends the thought to the log. Use it when complex reasoning or some cache memory is needed."
)
_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}


def _rounded(value: float, digits: float = 0) -> float:
    """Python would work out a power of ten for whole numbers, however large."""
    if not -_MAX_DIGITS <= digits <= _MAX_DIGITS:
        raise ValueError(f"round takes at most {_MAX_DIGITS} digits")
    return round(value, int(digits)) if digits else round(value)


_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "log10", "log2")},
    **{name: getattr(math, name) for name in ("exp", "floor", "ceil", "degrees", "radians")},
    "log": math.log,
    "ln": math.log,
    "abs": abs,
    "round": _rounded,
    "min": min,
    "max": max,
}
_CONSTANTS = {"pi": math.pi, "e": math.e}


def calculated(expression: str) -> float:
    """The value of an arithmetic expression; `^` is the power. Raises `NodeError`."""
    if len(expression) > MAX_EXPRESSION:
        raise NodeError(f"The expression has more than {MAX_EXPRESSION} characters.")
    try:
        value = _value(ast.parse(expression.strip().replace("^", "**"), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError):
        raise NodeError("The expression is not arithmetic; write one such as 2 * (3 + 4).") from None
    except (ArithmeticError, ValueError, TypeError) as exc:
        raise NodeError(f"The expression has no value: {exc}.") from None
    return value


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _value(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if type(node.op) in _BINARY:
            large = _huge(left, right)
            return _BINARY[type(node.op)](float(left) if large else left, float(right) if large else right)
    if isinstance(node, ast.Name) and node.id.lower() in _CONSTANTS:
        return _CONSTANTS[node.id.lower()]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None:
            return function(*(_value(one) for one in node.args))
    raise NodeError("The expression has something that is not arithmetic; use numbers, + - * / ^ and functions.")


def _huge(*values: float) -> bool:
    return any(isinstance(value, int) and value.bit_length() > 256 for value in values)


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > _MAX_EXPONENT:
        raise NodeError(f"The exponent is larger than {_MAX_EXPONENT}.")
    value = float(base) ** exponent
    if isinstance(value, complex):
        raise NodeError("The power is no real number.")
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0 and abs(value) < 2**53
    return int(value) if whole else value


class CalculatorNode(ServingNode):
    kind = "langchain.toolCalculator"
    versions: Sequence[float] = (1,)
    model = NoParameters
    description = NodeDescription("Calculator", "Lets an agent calculate.", "ai", inputs=0, provides=TOOL)

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {"input": {"type": "string", "description": "Such as 2 * (3 + 4)."}},
            "required": ["input"],
        }
        about = "Useful for getting the result of a math expression. The input must be a valid arithmetic expression."

        async def call(arguments: Mapping[str, Json]) -> Json:
            value = calculated(str(arguments.get("input", "")))
            if not math.isfinite(value):
                raise NodeError("The result is not a finite number.")
            return str(value)

        return FunctionTool(ToolSpec("calculator", about, schema), call)


class Think(Parameters):
    ui_fields: ClassVar[UiFields] = NAMED_TOOL

    description: Text = THOUGHT


class ThinkNode(ServingNode):
    kind = "langchain.toolThink"
    versions: Sequence[float] = (1, 1.1)
    model = Think
    description = NodeDescription("Think Tool", "A place for an agent to think.", "ai", inputs=0, provides=TOOL)

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        parameters: Think = await node.parameters(item)
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {"input": {"type": "string", "description": "The thought."}},
            "required": ["input"],
        }

        async def call(arguments: Mapping[str, Json]) -> Json:
            return arguments.get("input", "")

        return FunctionTool(ToolSpec(node.node.name, parameters.description or THOUGHT, schema), call)


def calculator(context: PluginContext, kind: str) -> CalculatorNode:
    return CalculatorNode(context)


def think(context: PluginContext, kind: str) -> ThinkNode:
    return ThinkNode(context)
