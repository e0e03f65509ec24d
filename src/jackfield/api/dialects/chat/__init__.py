"""OpenAI Chat Completions (`/v1/chat/completions`)."""

from __future__ import annotations

from ..codec import JsonCodec
from ..errors import openai_answer
from .answer import build_completion, parse_completion
from .build import build_body
from .parse import parse_body
from .reader import ChatReader
from .writer import ChatWriter

CODEC = JsonCodec(
    "chat", parse_body, build_body, parse_completion, build_completion, ChatReader, ChatWriter, openai_answer
)
