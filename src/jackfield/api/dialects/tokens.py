"""How many tokens a request takes, by its characters: fast, and rather too many than too few.

English and code lie between 3.6 and 4.5 characters a token.
"""

from __future__ import annotations

from .fields import dumps
from .model import (
    Block,
    DocumentBlock,
    Foreign,
    ImageBlock,
    ModelRequest,
    TextBlock,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
)

CHARACTERS = 3.5  # per token of ASCII text
BEYOND_ASCII = 0.45  # tokens more for each further byte of UTF-8: about 1.2 for a Chinese character
PER_IMAGE = 1600  # Anthropic's maximum after its own scaling
PER_TURN = 4
PER_TOOL = 12
LEAST_DOCUMENT = 1500  # a page
BASE64_PER_TOKEN = 25  # characters of a document that is not text


def of_text(text: str) -> float:
    tokens = len(text) / CHARACTERS
    if text.isascii():
        return tokens
    return tokens + BEYOND_ASCII * (len(text.encode("utf-8", "surrogatepass")) - len(text))


def of_request(request: ModelRequest) -> int:
    """At least 1."""
    total = sum(of_text(part.text) for part in request.system) + sum(map(_of_tool, request.tools))
    for turn in request.turns:
        total += PER_TURN + sum(map(_of_block, turn.content))
    if request.format is not None:
        total += len(dumps(request.format.schema)) / CHARACTERS
    return max(1, round(total))


def _of_tool(tool: ToolDefinition) -> float:
    described = of_text(tool.name) + of_text(tool.description or "")
    return PER_TOOL + described + len(dumps(tool.raw if tool.kind != "function" else tool.schema)) / CHARACTERS


def _of_block(block: Block) -> float:
    match block:
        case TextBlock():
            return of_text(block.text)
        case ToolUse():
            return PER_TURN + of_text(block.name) + of_text(block.arguments)
        case ToolResult():
            return PER_TURN + sum(map(_of_block, block.content))
        case Thinking():
            return of_text(block.text)
        case ImageBlock():
            return PER_IMAGE
        case DocumentBlock():
            return of_text(block.text) if block.text else max(LEAST_DOCUMENT, len(block.data) / BASE64_PER_TOKEN)
        case Foreign():
            return len(dumps(block.raw)) / CHARACTERS
