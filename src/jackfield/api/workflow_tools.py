"""A workflow that is offered as a tool: its setting `offerAsTool`, and n8n's `availableInMCP`.

Source: docs/mcp.md, 'A workflow as a tool'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .jsontext import Json, dumps
from .records import record
from .tool_schemas import schema_mistakes
from .workflows import Problem

SETTING = "offerAsTool"
N8N_SETTING = "availableInMCP"
"""n8n's switch for its own MCP server, which knows neither a name nor a schema."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
"""64 characters are what models' APIs take, and clients put the server's name in front."""
LONGEST_DESCRIPTION = 2000
"""Characters; models read it with every request."""
LARGEST_SCHEMA = 32_768
"""Bytes of JSON."""
FIELDS_TOLD = frozenset({"executeWorkflowTrigger", "formTrigger"})
"""Kinds of start nodes whose fields agents read where the offer has no schema."""
_MEMBERS = frozenset({"enabled", "name", "description", "inputSchema", "startNode"})


@record
class ToolOffer:
    """The contents of the setting.

    `name`, `description`, `start`: empty. `schema`: None, where it says nothing. `explicit`: it is Jackfield's own
    setting and not n8n's switch.
    """

    name: str = ""
    description: str = ""
    schema: Mapping[str, Json] | None = None
    start: str = ""
    explicit: bool = True


def tool_offer(settings: Mapping[str, Json]) -> ToolOffer | None:
    """`settings`: of a document. None: it is not offered. It leaves out mistakes: see `offer_problems`."""
    given = settings.get(SETTING)
    if given is None:
        return ToolOffer(explicit=False) if settings.get(N8N_SETTING) is True else None
    if not isinstance(given, dict) or given.get("enabled", True) is not True:
        return None
    name, schema = _text(given.get("name")), given.get("inputSchema")
    return ToolOffer(
        name if NAME.fullmatch(name) else "",
        _text(given.get("description"))[:LONGEST_DESCRIPTION],
        schema if isinstance(schema, dict) else None,
        _text(given.get("startNode")),
    )


def offer_problems(settings: Mapping[str, Json]) -> Iterator[Problem]:
    """The mistakes in the setting, switched on or not."""
    given = settings.get(SETTING)
    if given is None:
        return
    if not isinstance(given, dict):
        yield Problem(f"settings.{SETTING}", "The offer must be an object such as {enabled, name, description}.")
        return
    for unknown in sorted(given.keys() - _MEMBERS):
        yield Problem(f"settings.{SETTING}.{unknown}", f"Known are {', '.join(sorted(_MEMBERS))}.")
    for member, message in _mistakes(given):
        yield Problem(f"settings.{SETTING}.{member}", message)


def _mistakes(given: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Member -> what is wrong with it."""
    if not isinstance(given.get("enabled", True), bool):
        yield "enabled", "It must be true or false."
    name = given.get("name")
    if name not in (None, "") and not (isinstance(name, str) and NAME.fullmatch(name)):
        yield "name", "A tool's name has 1 to 40 letters, digits, _ and -, and begins with a letter."
    if not isinstance(given.get("description", ""), str) or len(_text(given.get("description"))) > LONGEST_DESCRIPTION:
        yield "description", f"The description must be a text of at most {LONGEST_DESCRIPTION} characters."
    if not isinstance(given.get("startNode", ""), str):
        yield "startNode", "It must be the name of a node."
    schema = given.get("inputSchema")
    if schema is None:
        return
    if len(dumps(schema)) > LARGEST_SCHEMA:
        yield "inputSchema", f"The schema may have at most {LARGEST_SCHEMA} bytes."
    elif mistake := next(schema_mistakes(schema), ""):
        yield "inputSchema", mistake


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
