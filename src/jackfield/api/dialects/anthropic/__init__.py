"""Anthropic Messages (`/v1/messages`)."""

from __future__ import annotations

from ..codec import JsonCodec
from ..errors import anthropic_answer
from .answer import build_message, parse_message
from .build import build_body
from .parse import parse_body
from .reader import MessagesReader
from .writer import MessagesWriter

CODEC = JsonCodec(
    "anthropic", parse_body, build_body, parse_message, build_message, MessagesReader, MessagesWriter, anthropic_answer
)
