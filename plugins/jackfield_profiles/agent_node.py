"""The node `jackfield.agent`: puts a profile's coding agent to work on each item, without a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from jackfield.api import jsontext
from jackfield.api.auth import AGENTS_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.items import with_json
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.profiles import HeadlessRequest, HeadlessResult
from jackfield.api.workflows import Item, Items
from jackfield_profiles.form import AGENT
from jackfield_profiles.launching.placement import AgentPlacement
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.views import usage

_FENCED = re.compile(r"```[ \t]*[\w.+-]*[ \t]*\n(.*?)```", re.DOTALL)
_LINES_TOLD = 5
_LONGEST_TOLD = 2000


class AgentParameters(Parameters):
    """One run for each item."""

    ui_fields: ClassVar[UiFields] = AGENT

    profile: str = Field(min_length=1, description="Alias of the profile that is run.")
    prompt: str = Field("", description="The question to the agent; empty when args say all.")
    args: list[str] = Field(default_factory=list, description="Further arguments for the agent.")
    timeout: float | None = Field(
        None, gt=0, le=86_400, description="Seconds; the setting profiles.run.timeout unless given."
    )
    working_directory: str = Field(
        "", description="Absolute path in which the agent works; else the profile's, else its home."
    )
    output_format: Literal["text", "json"] = Field(
        "text", description="json: the agent's answer is JSON, also in a fenced code block, and comes as data."
    )

    labels: list[str] = Field(
        default_factory=list,
        max_length=50,
        description="Labels of the hosts on which it may run; default: every host that has the profile.",
    )

    @field_validator("timeout", mode="before")
    @classmethod
    def _absent(cls, value: object) -> object:
        return None if value == "" else value


class CodingAgentNode(ItemNode):
    """Items are handled one after another. Cancelling the execution ends the agent and
    all that it has started."""

    kind = "agent"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Coding Agent",
        "Runs a profile's coding agent on a prompt.",
        "code",
        scopes=(AGENTS_WRITE,),
        help="agents-in-workflows#the-node",
        reads_items=False,
    )
    effect = True
    model = AgentParameters

    async def item(self, run: NodeRun, parameters: AgentParameters, item: Item, index: int) -> Items:
        request = HeadlessRequest(
            prompt=parameters.prompt or None,
            args=tuple(parameters.args),
            timeout=parameters.timeout,
            working_dir=parameters.working_directory or None,
            kind="workflow",
            key=_key(run, index),
            sandbox=self._context.settings(RunSettings).workflow_sandbox,
            execution_id=run.execution.id,
            depth=run.execution.depth + 1,
        )
        if request.prompt is None and not request.args:
            raise NodeError("The parameter prompt is empty; say what the agent does, or give args.")
        try:
            result = await self._context.port(AgentPlacement).run(parameters.profile, request, parameters.labels)
        except JackfieldError as exc:
            raise NodeError(exc.message) from None
        if result.timed_out or result.exit_code != 0:
            raise NodeError(_failure(parameters, result), description=_end(result))
        return [with_json(item, _json(parameters, result), index)]


def _key(run: NodeRun, index: int) -> str:
    """Of an item's run in this execution: the same when the execution is resumed."""
    return jsontext.dumps([run.execution.id, run.node.name, run.run_index, index]).decode()


def _failure(parameters: AgentParameters, result: HeadlessResult) -> str:
    if result.timed_out:
        told = f"The agent of {parameters.profile} did not end in time and was stopped; raise the parameter timeout."
        return told if result.proxy_error is None else f"{told} Its proxy's last error: {result.proxy_error.message}"
    end = _end(result)
    return f"The agent of {parameters.profile} ended with {result.exit_code}{f': {end}' if end else '.'}"


def _end(result: HeadlessResult) -> str:
    """The last lines that it wrote.

    Tools that print JSON say there why they failed, Claude Code in its answer. On the other output they say little more
    than that they have begun.
    """
    told = result.result or ""
    if not told and isinstance(result.data, list) and result.data:
        told = jsontext.dumps(result.data[-1]).decode()
    text = "\n".join(part for part in (result.errors.strip(), told.strip()) if part) or result.output.strip()
    return "\n".join(text.splitlines()[-_LINES_TOLD:])[-_LONGEST_TOLD:]


def _json(parameters: AgentParameters, result: HeadlessResult) -> dict[str, Json]:
    answer = result.result if result.result is not None else result.output.strip()
    made: dict[str, Json] = {
        "result": answer,
        "exitCode": result.exit_code,
        "session": result.session,
        "usage": None if result.usage is None else usage(result.usage),
        "durationMs": result.duration_ms,
    }
    if result.output_cut:
        made["outputCut"] = result.output_cut
    if parameters.output_format == "json":
        made["data"] = parsed_answer(answer)
    return made


def parsed_answer(answer: str) -> Json:
    """The JSON that a model has written: all of its answer, else the last fenced code block that is JSON. Raises
    `NodeError`."""
    for text in (answer, *reversed(_FENCED.findall(answer))):
        try:
            return jsontext.loads(text.strip())
        except (InvalidInput, UnicodeEncodeError):
            continue
    raise NodeError(
        "The agent's answer is not JSON; ask for JSON alone in the prompt, or set outputFormat to text.",
        description=answer[-_LONGEST_TOLD:],
    )


def node(context: PluginContext) -> CodingAgentNode:
    return CodingAgentNode(context)
