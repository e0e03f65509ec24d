"""The parsers that nodes give: JSON of a schema, a list, and one that asks a model to repair what another refuses."""

from __future__ import annotations

import re

from jackfield.api.ai import ChatModel, Message, OutputParser, ParseProblem, Schema
from jackfield.api.json_schemas import problems
from jackfield.api.jsontext import Json, dumps
from jackfield_ai.parsing.texts import json_in

_WRAPPER = "output"
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


class StructuredParser:
    """`OutputParser` of values of a schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema: Schema | None = schema

    @property
    def instructions(self) -> str:
        text = dumps(self.schema).decode()
        return (
            "Answer with JSON alone, without any text around it and without a code fence. It must be valid against "
            f"this JSON Schema:\n{text}"
        )

    def check(self, value: Json) -> Json:
        """Models like to put what they are asked for into one field more."""
        found = problems(value, self.schema)  # type: ignore[arg-type]  # a schema is JSON
        if found and isinstance(value, dict) and set(value) == {_WRAPPER}:
            inner = value[_WRAPPER]
            if not problems(inner, self.schema):  # type: ignore[arg-type]
                return inner
        if found:
            raise ParseProblem(f"The JSON does not fit its schema: {'; '.join(found)}.")
        return value

    async def parse(self, text: str) -> Json:
        return self.check(json_in(text))


class ListParser:
    """`OutputParser` of a list of texts. limit: at most that many, -1: all; separator: between them."""

    schema: Schema | None = None

    def __init__(self, limit: int = -1, separator: str = "\n") -> None:
        self._limit = limit
        self._separator = separator.replace("\\n", "\n") or "\n"

    @property
    def instructions(self) -> str:
        how = "one per line" if self._separator == "\n" else f"separated by '{self._separator}'"
        most = f" At most {self._limit} entries." if self._limit >= 0 else ""
        return f"Answer with a list, {how}, and nothing else: no numbers, no bullets.{most}"

    def check(self, value: Json) -> Json:
        if not isinstance(value, list):
            raise ParseProblem("It must be a list.")
        return value[: self._limit] if self._limit >= 0 else value

    async def parse(self, text: str) -> Json:
        parts = (_BULLET.sub("", part).strip() for part in text.strip().split(self._separator))
        return self.check([part for part in parts if part])


FIX_PROMPT = """Instructions:
--------------
{instructions}
--------------
Completion:
--------------
{completion}
--------------

Above, the Completion did not satisfy the constraints given in the Instructions.
Error:
--------------
{error}
--------------

Please try again. Respond only with an answer that satisfies the constraints laid out in the Instructions:"""


class FixingParser:
    """`OutputParser` that lets a model repair what the inner one refuses, once."""

    def __init__(self, inner: OutputParser, model: ChatModel, prompt: str = FIX_PROMPT) -> None:
        self._inner = inner
        self._model = model
        self._prompt = prompt or FIX_PROMPT

    @property
    def schema(self) -> Schema | None:
        return self._inner.schema

    @property
    def instructions(self) -> str:
        return self._inner.instructions

    def check(self, value: Json) -> Json:
        return self._inner.check(value)

    async def parse(self, text: str) -> Json:
        try:
            return await self._inner.parse(text)
        except ParseProblem as exc:
            prompt = filled(self._prompt, instructions=self._inner.instructions, completion=text, error=exc.message)
        answer = await self._model.complete([Message("user", prompt)], json=self._inner.schema is not None)
        return await self._inner.parse(answer.message.text)


def filled(template: str, **values: str) -> str:
    """The template with its `{name}` replaced; other braces stay, and what is put in is not looked at again."""
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), template)
