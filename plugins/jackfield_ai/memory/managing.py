"""Chat Memory Manager and Chat Messages Retriever: what an attached memory keeps, as items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, cast

from pydantic import Field

from jackfield.api.ai import MEMORY, EditableMemory, Message
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_ai.form import MANAGED_MESSAGE, MEMORY_MANAGER, MEMORY_READER
from jackfield_ai.memory.stored_messages import stored_data, stored_type
from jackfield_ai.nodes import AiNode, each_item
from jackfield_ai.parameters import Text
from jackfield_ai.serving import memory_of

_ROLES: dict[str, Literal["system", "user", "assistant"]] = {"ai": "assistant", "system": "system", "user": "user"}
_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage"}
_GROUPED_SINCE = 1.1


class ManagedMessage(Parameters):
    ui_fields: ClassVar[UiFields] = MANAGED_MESSAGE

    type: Literal["ai", "system", "user"] = "system"
    message: Text = ""
    hide_from_ui: bool = Field(False, alias="hideFromUI")


class ManagedMessages(Parameters):
    message_values: list[ManagedMessage] = Field(default_factory=list)


class ManagerOptions(Parameters):
    group_messages: bool | None = None


class ManagerParameters(Parameters):
    ui_fields: ClassVar[UiFields] = MEMORY_MANAGER

    mode: Literal["load", "insert", "delete"] = "load"
    insert_mode: Literal["insert", "override"] = "insert"
    delete_mode: Literal["lastN", "all"] = "lastN"
    messages: ManagedMessages = Field(default_factory=ManagedMessages)
    last_messages_count: int = Field(2, ge=0)
    simplify_output: bool = True
    options: ManagerOptions = Field(default_factory=ManagerOptions)


class ReaderParameters(Parameters):
    ui_fields: ClassVar[UiFields] = MEMORY_READER

    simplify_output: bool = True


async def editable(run: NodeRun, item: int) -> EditableMemory:
    """The attached memory. Raises `NodeError`."""
    found = await memory_of(run, item)
    if found is None:
        raise NodeError(f"The node '{run.node.name}' needs a memory; attach one.")
    if not isinstance(found, EditableMemory):
        raise NodeError("The attached memory cannot be looked through; use Simple Memory or one in a database.")
    return cast("EditableMemory", found)


def grouped(messages: Sequence[Message]) -> list[dict[str, Json]]:
    """Objects with one message of each type at most, in their order."""
    made: list[dict[str, Json]] = []
    for message in messages:
        kind = stored_type(message)
        if not made or kind in made[-1]:
            made.append({})
        made[-1][kind] = message.text
    return made


def whole(message: Message) -> dict[str, Json]:
    """As LangChain.js serialises it."""
    name = _CLASSES[stored_type(message)]
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": stored_data(message)}


class MemoryManagerNode(AiNode):
    kind = "langchain.memoryManager"
    versions: Sequence[float] = (1, 1.1)
    model = ManagerParameters
    description = NodeDescription(
        "Chat Memory Manager", "Reads, adds and deletes messages of a memory.", "ai", accepts=(MEMORY,), needs=(MEMORY,)
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[ManagerParameters] = await run.resolve()
        return [await each_item(run, lambda index: self._one(run, resolved[index], index))]

    async def _one(self, run: NodeRun, parameters: ManagerParameters, index: int) -> Items:
        memory = await editable(run, index)
        messages = list(await memory.history())
        if parameters.mode == "load":
            return self._loaded(run, parameters, messages, index)
        if parameters.mode == "insert":
            added = [Message(_ROLES[row.type], row.message) for row in parameters.messages.message_values]
            await memory.replace(added if parameters.insert_mode == "override" else [*messages, *added])
        elif parameters.delete_mode == "all":
            await memory.replace([])
        elif len(messages) >= parameters.last_messages_count:
            await memory.replace(messages[: len(messages) - parameters.last_messages_count])
        if (run.node.version or 1) >= _GROUPED_SINCE:
            return [new_item({"success": True}, index)]
        return [new_item(whole(message), index) for message in await memory.history()]

    def _loaded(self, run: NodeRun, parameters: ManagerParameters, messages: Sequence[Message], index: int) -> Items:
        rows = grouped(messages) if parameters.simplify_output else [whole(message) for message in messages]
        together = parameters.options.group_messages
        if together is None:
            together = (run.node.version or 1) >= _GROUPED_SINCE
        if together:
            return [new_item({"messages": [*rows], "messagesCount": len(rows)}, index)]
        return [new_item(row, index) for row in rows]


class MemoryReaderNode(AiNode):
    kind = "langchain.memoryChatRetriever"
    versions: Sequence[float] = (1,)
    model = ReaderParameters
    effect = False
    description = NodeDescription(
        "Chat Messages Retriever", "Gives the messages of a memory.", "ai", accepts=(MEMORY,), needs=(MEMORY,)
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        parameters: ReaderParameters = await run.resolve_first()
        messages = await (await editable(run, 0)).history()
        if not parameters.simplify_output:
            return [[new_item(whole(message), 0) for message in messages]]
        pairs = [messages[start : start + 2] for start in range(0, len(messages), 2)]
        return [[new_item({stored_type(message): message.text for message in pair}, 0) for pair in pairs]]


def manager(context: PluginContext, kind: str) -> MemoryManagerNode:
    return MemoryManagerNode(context)


def reader(context: PluginContext, kind: str) -> MemoryReaderNode:
    return MemoryReaderNode(context)
