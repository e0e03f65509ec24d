"""OpenAPI 3.1 from the routes and their operations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from quart import Quart
from werkzeug.routing import Rule

from jackfield.api.http import Operation
from jackfield.api.version import __version__

from ..probes import PROBES
from ..route_checks import operation_of
from ..schemas import HealthShown, ReadinessShown
from .failures import SCHEMAS, Described, failures, responses
from .operation_ids import operation_ids

SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "n8nApiKey": {"type": "apiKey", "in": "header", "name": "X-N8N-API-KEY"},
    "basic": {"type": "http", "scheme": "basic"},
}
_JSON = "application/json"
_BYTES = "application/octet-stream"
PROBED: Mapping[str, tuple[str, type[BaseModel]]] = {
    "/health": ("getHealth", HealthShown),
    "/ready": ("getReadiness", ReadinessShown),
}
"""Path -> operationId, model of the answer."""


def describe(app: Quart, url: str) -> Described:
    """The whole document."""
    found = [
        (rule, method, described)
        for rule in app.url_map.iter_rules()
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        if (described := operation_of(app, rule.endpoint)) is not None
    ]
    models = {m for _, _, op in found for m in (op.request, op.response, op.query) if m is not None}
    ordered = sorted({*models, *(model for _, model in PROBED.values())}, key=lambda model: model.__name__)
    references, schemas = models_json_schema(
        [(model, "validation") for model in ordered], ref_template="#/components/schemas/{model}"
    )
    # By reference, not by name: two plugins may have models of one name.
    known = {model: references[(model, "validation")] for model in ordered}
    components = {**schemas.get("$defs", {}), **SCHEMAS}
    paths: dict[str, dict[str, Described]] = {}
    for path, summary in PROBES.items():
        name, model = PROBED[path]
        probe = Operation(summary, "public", response_model=model, tags=["health"], operation_id=name)
        paths[path] = {"get": {"operationId": name, **_operation(probe, path, [], components, known)}}
    # Not an error: the same answer as with 200.
    ready = paths["/ready"]["get"]["responses"]
    ready["503"] = {**ready["200"], "description": "It is not ready; the checks say why."}
    names = operation_ids(app, found)
    for rule, method, described in found:
        path = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
        shown = _operation(described, path, _parameters(rule), components, known)
        paths.setdefault(path, {})[method.lower()] = {"operationId": names[rule.rule, method], **shown}
    used = {
        (int(status), path)
        for path, methods in paths.items()
        for described_so in methods.values()
        for status, answer in described_so["responses"].items()
        if "$ref" in answer
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Jackfield", "version": __version__},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": components, "responses": responses(used), "securitySchemes": SECURITY},
    }


def _parameters(rule: Rule) -> list[Described]:
    """Those of the path, with the types that the router tells apart."""
    types = {name: "integer" if name in _whole(rule) else "string" for name in rule.arguments}
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": kind}} for name, kind in sorted(types.items())
    ]


def _whole(rule: Rule) -> frozenset[str]:
    return frozenset(re.findall(r"<int(?:\([^)]*\))?:([^<>]+)>", rule.rule))


def _operation(
    described: Operation,
    path: str,
    parameters: list[Described],
    components: Mapping[str, Described],
    known: Mapping[type[BaseModel], Described],
) -> Described:
    names = [parameter["name"] for parameter in parameters]
    if described.query is not None:
        model = components[known[described.query]["$ref"].rpartition("/")[2]]
        required = model.get("required", ())
        parameters = parameters + [
            {"name": name, "in": "query", "required": name in required, "schema": schema}
            for name, schema in model.get("properties", {}).items()
        ]
    parameters = parameters + [
        {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": text}
        for name, text in described.reads.items()
    ]
    answer: Described = {"description": described.summary}
    if described.headers:
        answer["headers"] = {
            name: {"schema": {"type": "string"}, "description": text} for name, text in described.headers.items()
        }
    if described.response is not None or described.media:
        answer["content"] = _content(known[described.response] if described.response else {}, described.media)
    read = described.request is not None
    result: Described = {
        "summary": described.summary,
        "tags": list(described.tags),
        "parameters": parameters,
        "responses": {
            **{str(status): answer for status in (described.status, *described.also)},
            **failures(described, path, names=names, body=read),
        },
    }
    if described.request is not None:
        required = not described.body_optional
        result["requestBody"] = {"required": required, "content": _content(known[described.request])}
    if described.scope != "public":
        result["security"] = [{name: []} for name in SECURITY]
        result["x-scope"] = described.scope or "any"
    return result


def _content(schema: Described, media: Sequence[str] = ()) -> Described:
    """The schema is that of JSON. Other types are texts, and bytes have none, as OpenAPI 3.1 wants it."""
    others = {kind: {} if kind == _BYTES else {"schema": {"type": "string"}} for kind in media if kind != _JSON}
    return {**({_JSON: {"schema": schema}} if not media or _JSON in media else {}), **others}
