"""Parameters of the OpenAI node, with n8n's names."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import AliasChoices, Field, JsonValue

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.form import MESSAGE, OPENAI, OPENAI_OPTIONS
from jackfield_ai.models.options import CommonOptions
from jackfield_ai.parameters import Chosen, Text


def _either(one: str, other: str) -> Any:
    """Old versions have some options under the provider's own names."""
    return Field(None, validation_alias=AliasChoices(one, other))


class TextMessage(Parameters):
    ui_fields: ClassVar[UiFields] = MESSAGE

    role: str = "user"
    content: Text = ""
    type: str = "text"
    image_url: Text = ""


class TextMessages(Parameters):
    values: list[TextMessage] = Field(default_factory=list)


class OpenAiNodeOptions(CommonOptions):
    ui_fields: ClassVar[UiFields] = OPENAI_OPTIONS

    frequency_penalty: float | None = _either("frequency_penalty", "frequencyPenalty")
    presence_penalty: float | None = _either("presence_penalty", "presencePenalty")
    max_tokens: int | None = None
    n: int | None = None
    reasoning_effort: str | None = _either("reasoning_effort", "reasoningEffort")
    max_tools_iterations: int = 15
    instructions: Text = Field("", description="The instruction to the model before the messages.")
    detail: str = Field("auto", description="Of images: auto, low, high.")
    binary_property_output: str = "data"
    size: str | None = None
    quality: str | None = None
    dalle_quality: str | None = None
    style: str | None = None
    return_image_urls: bool = False
    language: str = ""
    response_format: str | None = _either("response_format", "responseFormat")
    speed: float | None = None

    def members(self) -> dict[str, Json]:
        """The members that these options add to the body of a chat completion."""
        return self.renamed(
            {
                "temperature": "temperature",
                "top_p": "top_p",
                "frequency_penalty": "frequency_penalty",
                "presence_penalty": "presence_penalty",
                "max_tokens": "max_completion_tokens",
                "n": "n",
                "reasoning_effort": "reasoning_effort",
            }
        )


class OpenAiNodeParameters(Parameters):
    ui_fields: ClassVar[UiFields] = OPENAI

    resource: str = Field("text", description="text, image or audio.")
    operation: str = Field("", description="Of the resource; empty: its first one.")
    model_id: Chosen = None
    model: Chosen = None
    messages: TextMessages = Field(default_factory=TextMessages)
    responses: TextMessages = Field(default_factory=TextMessages)
    simplify: bool = True
    simplify_output: bool = True
    json_output: bool = False
    built_in_tools: dict[str, JsonValue] = Field(default_factory=dict, description="Not available.")
    prompt: Text = ""
    text: Text = ""
    input: Text = ""
    voice: str = "alloy"
    input_type: str = "url"
    image_urls: Text = ""
    binary_property_name: str = "data"
    options: OpenAiNodeOptions = Field(default_factory=OpenAiNodeOptions)

    @property
    def plain(self) -> bool:
        """Whether only what matters of the answer is given."""
        return self.simplify and self.simplify_output
