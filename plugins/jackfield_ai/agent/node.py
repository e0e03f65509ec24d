"""AI Agent: a model that calls the attached tools until it has an answer for the item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL, MEMORY, OUTPUT_PARSER, TOOL, Memory, Message, OutputParser, ToolCall
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.workflows import Items, Node
from jackfield_ai.agent.loop import AgentOutcome, converse
from jackfield_ai.agent.talk_state import TalkState
from jackfield_ai.agent.waiting import APPROVED_CALL, AgentTalks
from jackfield_ai.asking import CountedModel, Said
from jackfield_ai.form import AGENT, AGENT_OPTIONS
from jackfield_ai.nodes import AiNode, SideBySide, of_each_item
from jackfield_ai.parameters import Text
from jackfield_ai.pictures import pictures_of
from jackfield_ai.prompts import prompt_of
from jackfield_ai.serving import fallback_model_of, memory_of, model_of, parser_of
from jackfield_ai.shapes import AGENT_SHAPES
from jackfield_ai.tools.toolbox import Toolbox, as_text, tools_of

SYSTEM = "You are a helpful assistant"
MAX_ITERATIONS = 10
STREAMS_FROM = 2.1
"""The node's first version with the option enableStreaming."""
_OWN_DATA = ("sqlAgent",)
MOST_NOTED, LONGEST_NOTED = 100, 2000
"""Tool calls that a run's record has, and characters of what each was given and has given."""


class AgentOptions(Parameters):
    ui_fields: ClassVar[UiFields] = AGENT_OPTIONS

    system_message: Text = Field(SYSTEM, description="The model's instructions, before the conversation.")
    human_message: Text = Field("", description="Of conversational agents of old versions; not used.")
    max_iterations: int = Field(MAX_ITERATIONS, ge=1, description="Most requests to the model for one item.")
    return_intermediate_steps: bool = Field(False, description="Add the tools called and their results.")
    passthrough_binary_images: bool = Field(True, description="Show the model the images of the item.")
    prefix: Text = ""
    suffix: Text = ""
    batching: SideBySide = Field(default_factory=SideBySide)
    enable_streaming: bool = Field(
        True, description="From version 2.1 on: what the model says goes to a caller in the mode streaming as it comes."
    )


class AiAgentParameters(Parameters):
    ui_fields: ClassVar[UiFields] = AGENT

    agent: str = Field("toolsAgent", description="Of old versions; every kind but sqlAgent calls tools.")
    prompt_type: Literal["auto", "define", "guardrails"] = Field(
        "auto", description="auto: the item's chatInput; define: text."
    )
    text: Text = Field("", description="The prompt.")
    has_output_parser: bool = Field(False, description="Whether an attached output parser counts.")
    needs_fallback: bool = Field(False, description="Whether the model at the second input stands in for the first.")
    options: AgentOptions = Field(default_factory=AgentOptions)


class AiAgentNode(AiNode):
    kind = "langchain.agent"
    versions: Sequence[float] = (
        *(1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9),
        *(2, 2.1, 2.2, 3, 3.1),
    )
    model = AiAgentParameters
    description = NodeDescription(
        "AI Agent",
        "Lets a model call tools until it has an answer.",
        "ai",
        accepts=(LANGUAGE_MODEL, TOOL, MEMORY, OUTPUT_PARSER),
        shapes=AGENT_SHAPES,
        needs=(LANGUAGE_MODEL,),
    )

    def streams(self, node: Node) -> bool:
        options = node.parameters.get("options")
        wanted = not isinstance(options, dict) or options.get("enableStreaming") is not False
        return wanted and (node.version or 1.0) >= STREAMS_FROM

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[AiAgentParameters] = await run.resolve()
        if run.resumed is None:
            for noted in ("toolCalls", APPROVED_CALL):  # of the run before, whose record has them
                run.context.pop(noted, None)
        talks = AgentTalks(run, self.settings)
        first = first_resolved(resolved)

        async def one(index: int) -> Items:
            return await self._one(run, resolved[index], index, talks)

        batching = None if first is None else first.options.batching
        while indexes := talks.open():
            made = await of_each_item(run, indexes, one, batching, self._context.clock)
            talks.over(zip(indexes, made, strict=True))
            if (wait := await talks.ask()) is not None:
                return wait
        return [talks.items()]

    async def _one(self, run: NodeRun, parameters: AiAgentParameters, index: int, talks: AgentTalks) -> Items:
        """Nothing yet where the conversation waits."""
        if parameters.agent in _OWN_DATA:
            raise NodeError(f"The agent kind {parameters.agent} is not available; attach a database node as a tool.")
        options = parameters.options
        prompt = prompt_of(run, parameters.prompt_type, parameters.text, index, run.node.version)
        pictures = await pictures_of(run, index) if options.passthrough_binary_images else []
        parser = await parser_of(run, index) if parameters.has_output_parser else None
        memory = await memory_of(run, index)
        fallback = await fallback_model_of(run, index) if parameters.needs_fallback else None
        said = Said(run, index) if run.streaming and self.streams(run.node) else None
        model = CountedModel(await model_of(run, index), fallback, said)
        tools = Toolbox(await tools_of(run, index), self.settings)
        messages = [
            Message("system", system_of(options, parser)),
            *(await memory.read() if memory is not None else ()),
            Message("user", prompt, pictures),
        ]
        rounds = min(options.max_iterations, self.settings.max_iterations)
        waited = await talks.answered(index, tools)
        try:
            outcome = await converse(model, messages, tools, self.settings, rounds=rounds, parser=parser, waited=waited)
        finally:
            model.log(run)
        if isinstance(outcome, TalkState):
            talks.wait(index, outcome)
            return []
        note_calls(run, outcome, index)
        await remember(memory, prompt, outcome.value)
        return [new_item(result_of(outcome, options), index)]


def note_calls(run: NodeRun, outcome: AgentOutcome, index: int) -> None:
    """For whoever looks at the run: `context.toolCalls`, each with the item that it was made for."""
    if not outcome.steps:
        return
    before = run.context.get("toolCalls")
    noted = [*before] if isinstance(before, list) else []
    noted += [noted_call(call, result, index) for call, result in outcome.steps[: max(0, MOST_NOTED - len(noted))]]
    run.context["toolCalls"] = noted


def noted_call(call: ToolCall, result: str, index: int) -> Json:
    given = dumps(dict(call.arguments)).decode("utf-8", "replace")
    return {"item": index, "tool": call.name, "input": given[:LONGEST_NOTED], "result": result[:LONGEST_NOTED]}


def system_of(options: AgentOptions, parser: OutputParser | None) -> str:
    parts = [options.system_message or options.prefix, options.suffix]
    if parser is not None:
        parts.append(parser.instructions)
    return "\n\n".join(part for part in parts if part)


async def remember(memory: Memory | None, prompt: str, value: Json) -> None:
    if memory is not None:
        await memory.add([Message("user", prompt), Message("assistant", as_text(value))])


def result_of(outcome: AgentOutcome, options: AgentOptions) -> dict[str, Json]:
    made: dict[str, Json] = {"output": outcome.value}
    if options.return_intermediate_steps:
        made["intermediateSteps"] = [step_of(call, result) for call, result in outcome.steps]
    return made


def step_of(call: ToolCall, result: str) -> Json:
    return {
        "action": {"tool": call.name, "toolInput": dict(call.arguments), "toolCallId": call.id, "type": "tool_call"},
        "observation": result,
    }


def agent(context: PluginContext, kind: str) -> AiAgentNode:
    return AiAgentNode(context)
