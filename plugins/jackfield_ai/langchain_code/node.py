"""LangChain Code: a program in the sandbox of Code nodes, which can ask attached models, tools, memories and stores.

A worker can't call out. So a program that asks something ends with its questions; they are answered here, and it runs
again with the answers, until it returns. Each question is asked once.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    LANGUAGE_MODEL,
    MEMORY,
    RETRIEVER,
    TEXT_SPLITTER,
    TOOL,
    VECTOR_STORE,
)
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import (
    NodeDescription,
    NodeError,
    NodeResult,
    NodeRun,
    NodeUnavailable,
    Parameters,
)
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items, Node
from jackfield_ai.form import LANGCHAIN_CODE, LANGCHAIN_INPUT, LANGCHAIN_SOURCE
from jackfield_ai.langchain_code.parts import AttachedParts, parts_of
from jackfield_ai.nodes import AiNode
from jackfield_ai.reading import at, list_at, text_at

MAIN = "main"
_AT_ONCE = 10
"""Questions of a program that are answered side by side."""


class Source(Parameters):
    ui_fields: ClassVar[UiFields] = LANGCHAIN_SOURCE

    code: str = ""


class Sources(Parameters):
    execute: Source = Field(default_factory=Source)
    supply_data: Source = Field(default_factory=Source)


class InputRow(Parameters):
    ui_fields: ClassVar[UiFields] = LANGCHAIN_INPUT

    type: str = ""
    max_connections: int = -1
    required: bool = False


class InputRows(Parameters):
    input: list[InputRow] = Field(default_factory=list)


class OutputRow(Parameters):
    type: str = ""


class OutputRows(Parameters):
    output: list[OutputRow] = Field(default_factory=list)


class LangChainCode(Parameters):
    ui_fields: ClassVar[UiFields] = LANGCHAIN_CODE

    code: Sources = Field(default_factory=Sources)
    inputs: InputRows = Field(default_factory=InputRows)
    outputs: OutputRows = Field(default_factory=OutputRows)


def program(library: str, source: str, state: Mapping[str, Json]) -> str:
    """The author's program in front, so that errors name its own lines."""
    given = dumps(dumps(dict(state)).decode()).decode()
    main = f"async function (require, Date, Math) {{ const items = $input.all(); {source}\n}}"
    return f"const __main = {main}; const __state = {given};\n{library}"


class LangChainCodeNode(AiNode):
    kind = "langchain.code"
    versions: Sequence[float] = (1,)
    model = LangChainCode
    description = NodeDescription(
        "LangChain Code",
        "Runs a program that uses attached models, tools, memories and stores.",
        "ai",
        accepts=(LANGUAGE_MODEL, MEMORY, TOOL, EMBEDDING, DOCUMENT, VECTOR_STORE, RETRIEVER, TEXT_SPLITTER),
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._library = Path(__file__).with_name("library.js").read_text()

    def outputs(self, node: Node) -> int:
        return max(1, sum(text_at(row, "type") == MAIN for row in list_at(node.parameters.get("outputs"), "output")))

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: LangChainCode = await run.resolve_first()
        source = parameters.code.execute.code
        if not source.strip():
            raise NodeUnavailable(
                "The node has no program to execute; fill in code.execute. One in code.supplyData cannot run: what it "
                "makes for other nodes stays in the sandbox; use a Code Tool instead."
            )
        parts = await parts_of(run, 0) if run.items else AttachedParts({})
        state = _state(run, parameters, parts)
        value = await self._ended(run, source, state, parts)
        count = self.outputs(run.node)
        if count == 1:
            return [_items(value)]
        if not isinstance(value, list) or len(value) > count:
            raise NodeError(f"The program must return a list with the items of each of the {count} outputs.")
        return [*map(_items, value), *([] for _ in range(count - len(value)))]

    async def _ended(self, run: NodeRun, source: str, state: dict[str, Json], parts: AttachedParts) -> Json:
        """The result of the program. Raises `NodeError`."""
        answers: dict[str, Json] = {}
        rounds = self.settings.max_iterations
        for _ in range(rounds):
            result = await run.run_script(
                "javaScript", program(self._library, source, {**state, "answers": answers}), each=False
            )
            found = at(result.value, 0, "json")
            asks = list_at(found, "asks")
            if not asks:
                for line in result.logs:
                    run.log.info("%s: %s", run.node.name, line)
                return at(found, "value")
            made = await answers_of(parts, asks)
            answers.update(zip((text_at(ask, "key") for ask in asks), made, strict=True))
        raise NodeError(f"The program asked its parts in more than {rounds} rounds (ai.max_iterations).")


async def answers_of(parts: AttachedParts, asks: Sequence[Json]) -> list[Json]:
    """Some at a time: a program may ask thousands at once, and each may be a request to a model."""
    turn = asyncio.Semaphore(_AT_ONCE)

    async def answered(ask: Json) -> Json:
        async with turn:
            return await _answered(parts, ask)

    tasks = [asyncio.ensure_future(answered(ask)) for ask in asks]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _answered(parts: AttachedParts, ask: Json) -> Json:
    """An error is the program's to catch."""
    try:
        return {"value": await parts.answer(text_at(ask, "part"), text_at(ask, "method"), at(ask, "input"))}
    except NodeError as exc:
        return {"error": exc.message}


def _state(run: NodeRun, parameters: LangChainCode, parts: AttachedParts) -> dict[str, Json]:
    """The surroundings that the program finds, the same in each round. Time and chance follow from the run, also when
    it is repeated after a crash: then it asks the same again."""
    rows = parameters.inputs.input
    key = run.idempotency_key(0)
    node: dict[str, Json] = {"name": run.node.name, "type": run.node.type, "typeVersion": run.node.version}
    outputs: list[Json] = [{"type": row.type} for row in parameters.outputs.output]
    return {
        "parts": parts.known,
        "single": [row.type for row in rows if row.max_connections == 1],
        "required": [row.type for row in rows if row.required],
        "node": node,
        "outputs": outputs,
        "now": _now(run),
        "seed": zlib.crc32(key.encode()),
    }


def _now(run: NodeRun) -> int:
    """Unix ms of the execution, which its UUIDv7 has; 0 for an id of another kind."""
    plain = run.execution.id.replace("-", "")
    try:
        return int(plain[:12], 16) if len(plain) == 32 else 0
    except ValueError:
        return 0


def _items(value: Json) -> Items:
    """Items, or objects that become one each. Raises `NodeError`."""
    rows = value if isinstance(value, list) else [value]
    made: list[Item] = []
    for row in rows:
        if not isinstance(row, dict):
            raise NodeError("The program must return items, such as [{json: {...}}].")
        json = row.get("json")
        made.append({"json": json if isinstance(json, dict) else row})
    return made


def code(context: PluginContext, kind: str) -> LangChainCodeNode:
    return LangChainCodeNode(context)
