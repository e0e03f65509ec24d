"""One prompt, one answer: how a headless agent is called, and what is read from what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from uuid import uuid4

from jackfield.api import jsontext
from jackfield.api.agents import Agent, Headless
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield_profiles.wiring.environment import hidden

PROMPT = "{prompt}"
MODEL = "{model}"
SESSION = "{session}"


@record
class HeadlessCall:
    """args: the agent's own, before the profile's. stdin: the prompt, where no argument takes it."""

    args: Sequence[str] = ()
    stdin: bytes | None = None


@record
class HeadlessAnswer:
    """The content of the output. `data`: the JSON object, or the list of objects of JSON lines."""

    result: str | None = None
    session: str | None = None
    data: Json = field(default=None)


def call_of(agent: Agent, prompt: str | None, model: str, resume: str | None = None) -> HeadlessCall:
    """resume: the session that is gone on with; the manifest says how. Raises `InvalidInput` when it does not say how a
    prompt is given."""
    if prompt is None:
        return HeadlessCall()
    if agent.headless is None:
        raise InvalidInput(
            f"The manifest of {agent.title} does not say how it takes a prompt ([headless]); give `args` instead.",
            code="NO_HEADLESS",
            details={"prompt": "leave it out and give args"},
        )
    if "\0" in prompt:
        raise InvalidInput("The prompt has a NUL character.", details={"prompt": "leave NUL characters out"})
    templates = agent.headless.args
    if resume is not None and agent.headless.resume is not None:
        prompt = agent.headless.resume.prompt
        templates = tuple(argument.replace(SESSION, resume) for argument in agent.headless.resume.args)
    args = tuple(_argument(argument, prompt, model) for argument in templates)
    inside = any(PROMPT in argument for argument in templates)
    return HeadlessCall(args, None if inside else prompt.encode("utf-8", "replace"))


def session_of(headless: Headless | None, others: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """A new session's name and the arguments that give it to the tool; none where the tool takes none, or others choose
    one."""
    names = {argument.partition("=")[0] for argument in others}
    if headless is None or not headless.session_args or not names.isdisjoint(headless.session_unless):
        return None, ()
    name = str(uuid4())
    return name, tuple(argument.replace(SESSION, name) for argument in headless.session_args)


def _argument(template: str, prompt: str, model: str) -> str:
    # A prompt may come from anywhere: as a separate argument it must not be taken for an option.
    given = f" {prompt}" if template == PROMPT and prompt.startswith("-") else prompt
    return given.join(part.replace(MODEL, model) for part in template.split(PROMPT))


def shown(content: bytes, limit: int, secrets: Sequence[str]) -> str:
    """The last `limit` bytes of a longer piece as text without secrets.

    The part that is cut off first may have begun with the rest of a secret, which nobody would know.
    """
    text = hidden(content.decode("utf-8", "replace"), secrets)
    if len(content) <= limit:
        return text
    return text.encode()[len(content) - limit :][-limit:].decode("utf-8", "ignore")


def margin(secrets: Sequence[str]) -> int:
    """How many bytes more than `limit` have to be kept for `shown`."""
    return max((len(secret.encode()) for secret in secrets), default=0)


def answer_of(headless: Headless | None, output: str) -> HeadlessAnswer:
    """The answer that the manifest finds in the output; nothing where the output is not as the manifest expects."""
    if headless is None:
        return HeadlessAnswer()
    if headless.output == "text":
        return HeadlessAnswer(result=output.strip() or None)
    if headless.output == "json":
        data = parsed_line(output.strip())
        objects = [data] if isinstance(data, dict) else []
    else:
        lines = (parsed_line(line) for line in output.splitlines() if line.lstrip().startswith("{"))
        objects = [line for line in lines if isinstance(line, dict)]
        data = list(objects) if objects else None
    return HeadlessAnswer(_last(objects, headless.result), _last(objects, headless.session), data)


def parsed_line(text: str) -> Json:
    """None: it is no JSON."""
    try:
        return jsontext.loads(text)
    except (InvalidInput, UnicodeEncodeError):
        return None


def _last(objects: Sequence[dict[str, Json]], path: str | None) -> str | None:
    """Of the last object that has it."""
    if not path:
        return None
    for one in reversed(objects):
        found = value_at(one, path.split("."))
        if found is not None:
            return found if isinstance(found, str) else jsontext.dumps(found).decode()
    return None


def value_at(value: Json, path: Sequence[str]) -> Json:
    """Parts that are numbers count in lists, from the end when negative."""
    for part in path:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.lstrip("-").isdecimal() and -len(value) <= int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value
