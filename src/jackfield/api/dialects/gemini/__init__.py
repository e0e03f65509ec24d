"""Google Gemini (`:generateContent` and `:streamGenerateContent`).

Model and stream stand in the path of a request, so its body says neither. The holder of the path adds them to the
result of `parse_request`.
"""

from __future__ import annotations

from ..codec import JsonCodec
from ..errors import google_answer
from .answer import build_answer, parse_answer
from .build import build_body
from .parse import parse_body
from .reader import GeminiReader
from .writer import GeminiWriter

CODEC = JsonCodec(
    "gemini", parse_body, build_body, parse_answer, build_answer, GeminiReader, GeminiWriter, google_answer
)
