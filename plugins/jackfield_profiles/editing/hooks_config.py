"""`hooks_config`: what an agent runs at its events, in the form that the agents read. Times are in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from jackfield.api.agents import Agent
from jackfield.api.errors import InvalidInput
from jackfield.api.http import validation_details
from jackfield.api.jsontext import Json
from jackfield_profiles.hook_events import known_event

LONGEST = 3600
"""Seconds. A value above it was meant in another unit."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=65_536, pattern=r"^[^\x00]*$")]


class _Action(BaseModel):
    # Agents know further keys of an action, which are theirs to check.
    model_config = ConfigDict(extra="allow", strict=True, title="HookAction")

    timeout: int | None = Field(
        None, ge=1, le=LONGEST, description="Time limit in seconds; the agent's own when it is absent."
    )


class CommandAction(_Action):
    type: Literal["command"]
    command: Text = Field(description="For the shell; the event comes as JSON on its standard input.")


class HttpAction(_Action):
    type: Literal["http"]
    url: Annotated[str, StringConstraints(pattern=r"^https?://\S+$")] = Field(description="Where the event is posted.")


class PromptAction(_Action):
    type: Literal["prompt", "agent"]
    prompt: Text


Action = Annotated[CommandAction | HttpAction | PromptAction, Field(discriminator="type")]


class Matcher(BaseModel):
    """The hooks that run for some tools. `matcher`: tool names joined by `|`, or `*`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    matcher: Annotated[str, StringConstraints(max_length=4096)] = "*"
    hooks: list[Action] = Field(max_length=1000)


HooksConfig = dict[str, Annotated[list[Matcher], Field(max_length=1000)]]
_form: TypeAdapter[HooksConfig] = TypeAdapter(HooksConfig)


def checked(config: Mapping[str, Json], agent: Agent | None) -> dict[str, Json]:
    """The configuration as it is stored: as given. agent: None when it is not known (any more). Raises `InvalidInput`
    that names the field."""
    for event in config:
        known_event(event)
    try:
        _form.validate_python(config)
    except ValidationError as exc:
        raise InvalidInput("The hooks are not valid.", code="HOOKS_INVALID", details=_named(exc)) from None
    if any(config.values()):
        allowed(agent)
    return dict(config)


def allowed(agent: Agent | None) -> None:
    """Raises `InvalidInput` for an agent without hooks."""
    if agent is not None and not agent.supports_hooks:
        raise InvalidInput(
            f"The agent {agent.id} has no hooks.",
            code="HOOKS_UNSUPPORTED",
            details={"hooks_config": f"leave it out, or choose an agent with hooks; {agent.id} has none"},
        )


def _named(error: ValidationError) -> dict[str, str]:
    return {f"hooks_config.{path}": reason for path, reason in validation_details(error).items()}
