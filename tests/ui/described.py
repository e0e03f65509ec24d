"""An operation's answers, as the daemon's own description has them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import jsonschema


class Described:
    """An OpenAPI document: `complaints("GET /api/agents", answer)` says where an answer departs from it."""

    def __init__(self, document: Mapping[str, Any]) -> None:  # Any: JSON
        self._components = document["components"]
        self._operations = {
            f"{method.upper()} {path}": operation
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        }

    def complaints(self, operation: str, answer: object) -> list[str]:
        found = self._schema(operation)
        if found is None:
            return [f"{operation}: the API has no such operation"]
        validator = jsonschema.Draft202012Validator({**found, "components": self._components})
        return [f"{operation}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(answer)]

    def _schema(self, operation: str) -> Mapping[str, Any] | None:
        # Of `/executions/stats` and `/executions/{id}` the one with fewer holes is meant.
        for name in sorted(self._operations, key=lambda name: name.count("{")):
            if re.fullmatch(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(name)), operation):
                answer = self._operations[name]["responses"]["200"]["content"]["application/json"]
                schema: Mapping[str, Any] = answer["schema"]
                return schema
        return None
