"""Evaluations as documents for other environments: the definition alone. Runs stay where they ran."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.http import parse_model
from jackfield.api.jsontext import Json
from jackfield_evaluations.book import EvaluationBook
from jackfield_evaluations.definition import NewEvaluation
from jackfield_evaluations.http.schemas import EvaluationChange
from jackfield_evaluations.http.service import EvaluationService


class EvaluationDocuments:
    """See `jackfield.api.portable_documents.PortableEvaluations`."""

    def __init__(self, context: PluginContext) -> None:
        self._book = context.port(EvaluationBook)
        self._service = EvaluationService(context)

    async def documents(self) -> Mapping[str, Mapping[str, Json]]:
        return {each.name: {**each.definition, "name": each.name} for each in await self._book.evaluations()}

    async def put(self, name: str, document: Mapping[str, Json], author: Principal) -> None:
        given = {key: value for key, value in document.items() if key not in ("name", "version")}
        try:
            present = await self._book.evaluation(name)
        except NotFound:
            await self._service.create(parse_model(NewEvaluation, {**given, "name": name}), author)
            return
        await self._service.change(name, parse_model(EvaluationChange, {**present.definition, **given}), author)
