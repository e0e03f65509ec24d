"""OpenAI Responses (`/v1/responses`)."""

from __future__ import annotations

from ..codec import JsonCodec
from ..errors import openai_answer
from .answer import build_answer, parse_answer
from .build import build_body
from .parse import parse_body
from .reader import ResponsesReader
from .writer import ResponsesWriter

CODEC = JsonCodec(
    "responses", parse_body, build_body, parse_answer, build_answer, ResponsesReader, ResponsesWriter, openai_answer
)
