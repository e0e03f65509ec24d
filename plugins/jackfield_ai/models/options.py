"""Options of the model nodes, and what they are called on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.jsontext import Json
from jackfield.api.nodes import Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.form import CHAT_MODEL, DEPLOYED_MODEL, MODEL_OPTIONS, SAFETY
from jackfield_ai.parameters import Chosen


class CommonOptions(Parameters):
    """timeout: milliseconds."""

    ui_fields: ClassVar[UiFields] = MODEL_OPTIONS

    temperature: float | None = None
    top_p: float | None = None
    timeout: float | None = Field(None, description="Milliseconds.")
    max_retries: int | None = None

    def renamed(self, names: Mapping[str, str]) -> dict[str, Json]:
        """Those that are given, under their names on the wire."""
        found = {wire: getattr(self, name) for name, wire in names.items()}
        return {wire: value for wire, value in found.items() if value is not None}

    def seconds(self) -> float | None:
        return self.timeout / 1000 if self.timeout is not None and self.timeout > 0 else None


class OpenAiOptions(CommonOptions):
    base_url: str | None = Field(None, alias="baseURL", description="Instead of the credential's.")
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    max_tokens: int | None = Field(None, description="-1: no own limit.")
    response_format: Literal["text", "json_object", "json_schema"] | None = None
    reasoning_effort: str | None = None
    safe_mode: bool | None = None

    def members(self, tokens: str) -> dict[str, Json]:
        """tokens: what the limit on them is called."""
        made = self.renamed(
            {
                "temperature": "temperature",
                "top_p": "top_p",
                "frequency_penalty": "frequency_penalty",
                "presence_penalty": "presence_penalty",
                "reasoning_effort": "reasoning_effort",
                "safe_mode": "safe_prompt",
            }
        )
        if self.max_tokens is not None and self.max_tokens > 0:
            made[tokens] = self.max_tokens
        if self.response_format == "json_object":
            made["response_format"] = {"type": "json_object"}
        return made


class AnthropicOptions(CommonOptions):
    max_tokens_to_sample: int = 4096
    top_k: int | None = None
    thinking: bool = False
    thinking_budget: int = 1024

    def members(self) -> dict[str, Json]:
        made: dict[str, Json] = {"max_tokens": self.max_tokens_to_sample if self.max_tokens_to_sample > 0 else 4096}
        if self.thinking:
            made["thinking"] = {"type": "enabled", "budget_tokens": max(self.thinking_budget, 1024)}
            return made
        if self.top_k is not None and self.top_k >= 0:
            made["top_k"] = self.top_k
        if self.top_p is not None and self.top_p >= 0:
            made["top_p"] = self.top_p
        if self.temperature is not None:
            made["temperature"] = self.temperature
        return made


class SafetyValue(Parameters):
    ui_fields: ClassVar[UiFields] = SAFETY

    category: str = ""
    threshold: str = ""


class SafetySettings(Parameters):
    values: list[SafetyValue] = Field(default_factory=list)


class GeminiOptions(CommonOptions):
    max_output_tokens: int | None = None
    top_k: int | None = None
    safety_settings: SafetySettings = Field(default_factory=SafetySettings)

    def members(self) -> dict[str, Json]:
        generation = self.renamed(
            {
                "temperature": "temperature",
                "top_p": "topP",
                "top_k": "topK",
                "max_output_tokens": "maxOutputTokens",
            }
        )

        rows = self.safety_settings.values
        safety: list[Json] = [{"category": row.category, "threshold": row.threshold} for row in rows if row.category]
        return {"generationConfig": generation, **({"safetySettings": safety} if safety else {})}


class OllamaOptions(CommonOptions):
    top_k: int | None = None
    num_ctx: int | None = None
    num_predict: int | None = None
    num_gpu: int | None = None
    num_thread: int | None = None
    num_batch: int | None = None
    main_gpu: int | None = None
    repeat_penalty: float | None = None
    repeat_last_n: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    penalize_newline: bool | None = None
    use_m_lock: bool | None = Field(None, alias="useMLock")
    use_m_map: bool | None = Field(None, alias="useMMap")
    vocab_only: bool | None = None
    low_vram: bool | None = None
    keep_alive: str | None = None
    format: Literal["default", "json"] | None = None
    think: bool | None = None

    def of_model(self) -> dict[str, Json]:
        alike = (
            *("top_p", "top_k", "num_ctx", "num_predict", "num_gpu", "num_thread", "num_batch", "main_gpu"),
            *("repeat_penalty", "repeat_last_n", "frequency_penalty", "presence_penalty", "penalize_newline"),
            *("vocab_only", "low_vram", "temperature"),
        )
        return self.renamed({**{name: name for name in alike}, "use_m_lock": "use_mlock", "use_m_map": "use_mmap"})

    def members(self) -> dict[str, Json]:
        made = self.renamed({"keep_alive": "keep_alive", "think": "think"})
        return {**made, "format": "json"} if self.format == "json" else made


class ChatModelParameters(Parameters):
    """The model is chosen by name; older versions call the parameter modelName."""

    ui_fields: ClassVar[UiFields] = CHAT_MODEL

    model: Chosen = Field(None, description="The model's name.")
    model_name: Chosen = Field(None, description="The model's name.")
    options: Any = Field(default_factory=dict)


class OpenAiParameters(ChatModelParameters):
    options: OpenAiOptions = Field(default_factory=OpenAiOptions)
    responses_api_enabled: bool = Field(False, description="Chat completions are used either way.")
    built_in_tools: dict[str, JsonValue] = Field(default_factory=dict, description="Not available.")


class AzureOpenAiParameters(OpenAiParameters):
    ui_fields: ClassVar[UiFields] = DEPLOYED_MODEL


class AnthropicParameters(ChatModelParameters):
    options: AnthropicOptions = Field(default_factory=AnthropicOptions)


class GeminiParameters(ChatModelParameters):
    options: GeminiOptions = Field(default_factory=GeminiOptions)


class OllamaParameters(ChatModelParameters):
    options: OllamaOptions = Field(default_factory=OllamaOptions)
