"""Messages: chat completions, responses, and moderation."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api import dialects
from jackfield.api.ai import Message, ParseProblem, Picture
from jackfield.api.dialects.model import UpstreamModel
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.urls import joined
from jackfield.api.workflows import Item, Items
from jackfield_ai.agent.loop import continued
from jackfield_ai.asking import CountedModel
from jackfield_ai.models.conversation import request_of
from jackfield_ai.models.dialect_models import OpenAiModel
from jackfield_ai.nodes import log_usage
from jackfield_ai.openai.asked import OpenAiItem
from jackfield_ai.openai.parameters import TextMessages
from jackfield_ai.parsing.texts import json_in
from jackfield_ai.reading import at, count_at, list_at, text_at
from jackfield_ai.tools.toolbox import Toolbox, tools_of

DEFAULT_MODEL = "gpt-4.1-mini"
JSON_SYSTEM = "You are a helpful assistant designed to output JSON."
_ROLES = ("system", "user", "assistant")


def chat_model(asked: OpenAiItem, members: Mapping[str, Json]) -> OpenAiModel:
    def address(values: Mapping[str, str], _: str) -> str:
        return joined(values.get("url", ""), "/chat/completions")

    return OpenAiModel(asked.client, asked.model(DEFAULT_MODEL), members, address)


def messages_in(rows: TextMessages) -> list[Message]:
    """Raises `NodeError` when there is none."""
    made = []
    for row in rows.values:
        role = row.role if row.role in _ROLES else "user"
        pictures = [Picture(url=row.image_url)] if row.type == "image" and row.image_url else []
        if row.content or pictures:
            made.append(Message(role, row.content, pictures))  # type: ignore[arg-type]  # one of the roles
    if not made:
        raise NodeError("The node has no messages; fill in at least one.")
    return made


async def message(asked: OpenAiItem) -> Items:
    """One item per choice, as the provider has them; with attached tools once it needs no more of them."""
    parameters = asked.parameters
    messages = messages_in(parameters.messages)
    if parameters.json_output:
        messages.insert(0, Message("system", JSON_SYSTEM))
    tools = Toolbox(await tools_of(asked.run, asked.index), asked.settings)
    model = CountedModel(chat_model(asked, parameters.options.members()))
    rounds = max(1, min(parameters.options.max_tools_iterations, asked.settings.max_iterations))
    try:
        answer = await continued(model, messages, tools, asked.settings, rounds=rounds, json=parameters.json_output)
    finally:
        model.log(asked.run)
    raw = answer.raw
    if not parameters.plain:
        return [asked.made(raw)] if isinstance(raw, dict) else []
    return [_choice(asked, choice) for choice in list_at(raw, "choices") if isinstance(choice, dict)]


def _choice(asked: OpenAiItem, choice: dict[str, Json]) -> Item:
    inner = choice.get("message")
    if asked.parameters.json_output and isinstance(inner, dict):
        return asked.made({**choice, "message": {**inner, "content": _json(inner.get("content"))}})
    return asked.made(choice)


def _json(content: Json) -> Json:
    """A text that is no JSON stays a text."""
    try:
        return json_in(content) if isinstance(content, str) else content
    except ParseProblem:
        return content


async def response(asked: OpenAiItem) -> Items:
    """The provider's newer form, without tools."""
    parameters, options = asked.parameters, asked.parameters.options
    if await tools_of(asked.run, asked.index):
        raise NodeError("Tools are not available to the operation response; use an AI Agent, or message.")
    rows = parameters.responses if parameters.responses.values else parameters.messages
    members = options.renamed({"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_output_tokens"})
    instructions = [Message("system", options.instructions)] if options.instructions else []
    wanted = request_of(
        "responses",
        asked.model(DEFAULT_MODEL),
        [*instructions, *messages_in(rows)],
        {**members, "store": True},  # as the provider does where nobody says otherwise
        json=parameters.json_output,
    )
    body = dialects.of("responses").build_request(wanted, UpstreamModel(wanted.model))
    answer = asked.client.object_in(await asked.client.answer(await asked.url("/responses"), body))
    used = count_at(answer, "usage", "input_tokens"), count_at(answer, "usage", "output_tokens")
    log_usage(asked.run, text_at(answer, "model"), *used)
    return [asked.made({"output": list_at(answer, "output")} if parameters.plain else answer)]


async def classify(asked: OpenAiItem) -> Items:
    """Moderation."""
    answer = await asked.post("/moderations", {"input": asked.parameters.input, "model": "omni-moderation-latest"})
    found = at(answer, "results", 0)
    if not isinstance(found, dict):
        raise NodeError("OpenAI answered without a result.")
    return [asked.made({"flagged": found.get("flagged")} if asked.parameters.plain else found)]
