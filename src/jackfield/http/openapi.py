"""OpenAPI 3.1 from the routes and their operations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from quart import Quart

from jackfield.api.http import Operation
from jackfield.api.version import __version__

from .probes import PROBES
from .route_checks import operation_of

SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "basic": {"type": "http", "scheme": "basic"},
}
ERROR = {
    "type": "object",
    "required": ["error", "code", "message", "requestId"],
    "properties": {
        "error": {"type": "string"},
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {"type": "object"},
        "requestId": {"type": "string"},
    },
}


def describe(app: Quart, url: str) -> dict[str, Any]:
    """The whole document (Any: JSON that is built here and only written)."""
    found = [
        (rule, method, described)
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        if (described := operation_of(app, rule.endpoint)) is not None
    ]
    models = {m for _, _, op in found for m in (op.request, op.response, op.query) if m is not None}
    ordered = sorted(models, key=lambda model: model.__name__)
    references, schemas = models_json_schema(
        [(model, "validation") for model in ordered], ref_template="#/components/schemas/{model}"
    )
    # By reference, not by name: two plugins may have models of one name.
    known = {model: references[(model, "validation")] for model in ordered}
    components = {**schemas.get("$defs", {}), "Error": ERROR}
    paths: dict[str, dict[str, object]] = {
        path: {"get": _operation(Operation(summary, "public", tags=["health"]), [], components, known)}
        for path, summary in PROBES.items()
    }
    for rule, method, described in found:
        path = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
        names = sorted(rule.arguments)
        paths.setdefault(path, {})[method.lower()] = _operation(described, names, components, known)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Jackfield", "version": __version__},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": SECURITY},
    }


def _operation(
    described: Operation, names: list[str], components: dict[str, Any], known: Mapping[type[BaseModel], Any]
) -> dict[str, object]:
    parameters: list[dict[str, object]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
    ]
    if described.query is not None:
        name = known[described.query]["$ref"].rpartition("/")[2]
        properties = components[name].get("properties", {})
        parameters += [{"name": name, "in": "query", "schema": schema} for name, schema in properties.items()]
    answer: dict[str, object] = {"description": described.summary}
    if described.response is not None:
        answer["content"] = _json(known[described.response])
    failure = {"description": "An error.", "content": _json({"$ref": "#/components/schemas/Error"})}
    result: dict[str, object] = {
        "summary": described.summary,
        "tags": list(described.tags),
        "parameters": parameters,
        "responses": {str(described.status): answer, "default": failure},
    }
    if described.request is not None:
        result["requestBody"] = {"required": True, "content": _json(known[described.request])}
    if described.scope != "public":
        result["security"] = [{name: []} for name in SECURITY]
        result["x-scope"] = described.scope or "any"
    return result


def _json(schema: Mapping[str, object]) -> dict[str, object]:
    return {"application/json": {"schema": schema}}
