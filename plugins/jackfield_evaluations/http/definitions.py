"""`/evaluations`: what there is, and what each one is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.http import json_response, operation, principal, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield_evaluations.book import EvaluationBook, missing_evaluation
from jackfield_evaluations.http.access import EvaluationAccess
from jackfield_evaluations.http.views import evaluation_view
from jackfield_evaluations.records import StoredEvaluation

if TYPE_CHECKING:
    from jackfield_evaluations.definition import NewEvaluation
    from jackfield_evaluations.http.schemas import EvaluationChange, EvaluationsQuery
    from jackfield_evaluations.http.service import EvaluationService

READ, WRITE = "evaluations:read", "evaluations:write"
TAGS = ("evaluations",)
View: TypeAlias = Callable[..., Awaitable[Response]]
Route: TypeAlias = "tuple[str, str, View]"
NEW = "jackfield_evaluations.definition:NewEvaluation"


def schema(name: str) -> str:
    """Where the model of this name is."""
    return f"jackfield_evaluations.http.schemas:{name}"


def service_of(context: PluginContext) -> EvaluationService:
    """Its models of pydantic are loaded with the first request that needs them."""
    return cast(
        "EvaluationService", cast("type", load("jackfield_evaluations.http.service:EvaluationService"))(context)
    )


class DefinitionRoutes:
    """Views."""

    name = "evaluations"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._book = context.port(EvaluationBook)
        self._access = EvaluationAccess(context)

    def routes(self) -> Sequence[Route]:
        one = "/evaluations/<name>"
        return (
            ("GET", "/evaluations", self.list_evaluations),
            ("POST", "/evaluations", self.create_evaluation),
            ("GET", one, self.get_evaluation),
            ("PUT", one, self.change_evaluation),
            ("DELETE", one, self.delete_evaluation),
        )

    @operation(
        "List evaluations by name, each with its newest run",
        scope=READ,
        query=schema("EvaluationsQuery"),
        response=schema("EvaluationList"),
        tags=TAGS,
    )
    async def list_evaluations(self) -> Response:
        query: EvaluationsQuery = read_query(schema("EvaluationsQuery"))
        wanted = query.search.casefold()
        named = [each for each in await self._book.evaluations() if wanted in each.name.casefold()]
        found = [each for each in named if await self._access.sees(each.definition)]
        page = found[query.offset : query.offset + query.limit]
        rows: list[Json] = [await self._view(each) for each in page]
        return json_response({"data": rows, "total": len(found), "offset": query.offset, "limit": query.limit})

    @operation(
        "Create an evaluation",
        scope=WRITE,
        request=NEW,
        response=schema("EvaluationShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def create_evaluation(self) -> Response:
        body: NewEvaluation = await read_model(NEW)
        return json_response(evaluation_view(await service_of(self._context).create(body, principal()), None), 201)

    @operation("Read an evaluation", scope=READ, response=schema("EvaluationShown"), tags=TAGS)
    async def get_evaluation(self, name: str) -> Response:
        found = await self._book.evaluation(name)
        await self._access.require_seen(found.definition, missing_evaluation(name))
        return json_response(await self._view(found))

    @operation(
        "Replace the definition of an evaluation",
        scope=WRITE,
        request=schema("EvaluationChange"),
        response=schema("EvaluationShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def change_evaluation(self, name: str) -> Response:
        body: EvaluationChange = await read_model(schema("EvaluationChange"))
        return json_response(await self._view(await service_of(self._context).change(name, body, principal())))

    @operation("Delete an evaluation with its runs", scope=WRITE, status=204, tags=TAGS, errors=(Conflict,))
    async def delete_evaluation(self, name: str) -> Response:
        await service_of(self._context).delete(name)
        return Response(status=204)

    async def _view(self, evaluation: StoredEvaluation) -> dict[str, Json]:
        newest = await self._book.runs(evaluation.name, None, 1)
        last = newest[0] if newest and await self._access.sees(newest[0].definition) else None
        return evaluation_view(evaluation, last)
