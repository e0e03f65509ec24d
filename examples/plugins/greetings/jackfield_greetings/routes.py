"""`GET /api/v1/greetings/{language}`."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field
from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.http import operation, read_query, success
from jackfield_greetings.ports import Greeter


class GreetingQuery(BaseModel):
    """Parameters of the query."""

    name: str = Field("World", min_length=1, max_length=100, description="The name to greet.")


class GreetingAnswer(BaseModel):
    """The answer."""

    greeting: str


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    """The routes."""
    blueprint = Blueprint("greetings", __name__, url_prefix="/api/v1/greetings")

    @blueprint.get("/<language>")
    @operation("Greet", scope="workflows:read", query=GreetingQuery, response=GreetingAnswer)
    async def greet(language: str) -> Response:
        asked = read_query(GreetingQuery)
        greeting = context.port(Greeter).greet(asked.name, language)
        return success(GreetingAnswer(greeting=greeting).model_dump())

    return [blueprint]
