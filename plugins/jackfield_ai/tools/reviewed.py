"""A tool whose calls wait for a person's yes."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.ai import Tool, ToolSpec
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeError, Suspend
from jackfield.api.questions import INPUT, TOOL
from jackfield.api.records import replace
from jackfield.api.workflows import Items
from jackfield_ai.tools.from_ai import schema_in

PARAMETERS, FOR_REVIEW = "toolParameters", "hitlParameters"
"""The two halves of what a model gives, by n8n's names: for the tool, and for the question."""


class ReviewedTool:
    """A `Tool` that runs after a person has approved this very call. A node that cannot wait for one cannot call it."""

    def __init__(self, reviewer: AttachedNode, tool: Tool) -> None:
        self._reviewer = reviewer
        self._tool = tool
        self.spec = ToolSpec(tool.spec.name, tool.spec.description, self._schema())

    def _schema(self) -> dict[str, Json]:
        given: Json = {**self._tool.spec.schema, "description": "The tool's own parameters."}
        properties: dict[str, Json] = {PARAMETERS: given}
        asked = schema_in(self._reviewer.node.parameters)
        if asked["properties"]:
            properties[FOR_REVIEW] = {**asked, "description": "Parameters of the question to the person who approves."}
        return {"type": "object", "properties": properties, "required": list(properties)}

    async def call(self, arguments: Mapping[str, Json]) -> Json:
        raise NodeError(
            f"A person approves calls of {self.spec.name}. Only an AI Agent waits for that, in the flow of a workflow."
        )

    async def ask(self, item: int, name: str, arguments: Mapping[str, Json], question: str) -> Suspend:
        """Send the question. name: of the tool, as the model knows it. question: see `AttachedNode.ask`. Raises
        `NodeError`."""
        for_review = arguments.get(FOR_REVIEW)
        given: dict[str, Json] = {**for_review} if isinstance(for_review, dict) else {}
        wanted = arguments.get(PARAMETERS)
        wait = await self._reviewer.ask(item, {**given, "tool": name, PARAMETERS: wanted}, question)
        # Whatever the message tells, the inbox shows what would run.
        return replace(wait, call={**(wait.call or {}), TOOL: name, INPUT: wanted})

    async def run(self, arguments: Mapping[str, Json]) -> Json:
        """Run what was approved. Raises `NodeError`."""
        given = arguments.get(PARAMETERS)
        return await self._tool.call(given if isinstance(given, dict) else {})


def refusal(name: str, answer: Items | None) -> str:
    """Why the call is not to run, for the model; empty: a person has approved it. answer: None: nobody has answered in
    time."""
    if answer is None:
        return f"Nobody has approved this call of {name} in time, so it did not run. {_AFTERWARDS}"
    told: Mapping[str, Json] = answer[0]["json"] if answer else {}
    data = told.get("data")
    given: Mapping[str, Json] = data if isinstance(data, dict) else told
    if given.get("approved") is True:
        return ""
    said = given.get("chatInput")
    if isinstance(said, str) and said:
        return f"A person has read this call of {name} and did not let it run, but wrote: {said}"
    return f"A person has rejected this call of {name}, so it did not run. {_AFTERWARDS}"


_AFTERWARDS = "Do not try to reach the same in another way. Say what you wanted to do, and ask how to go on."
