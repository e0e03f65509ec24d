"""The parameters of a Webhook node, read liberally, with a list of their mistakes.

Defaults: those of the specification for a node without typeVersion, n8n's for one with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import field

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.workflows import Node
from jackfield_webhooks import paths

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD")
RESPONSE_MODES = ("onReceived", "lastNode", "responseNode", "streaming")
RESPONSE_DATA = ("allEntries", "firstEntryJson", "firstEntryBinary", "noData")
KINDS = {
    "none": "none",
    "headerAuth": "headerAuth",
    "basicAuth": "basicAuth",
    "basic": "basicAuth",
    "hmac": "hmac",
    "jwtAuth": "jwtAuth",
    "jwt": "jwtAuth",
}
"""Every accepted value of `authentication` and the one that it means."""

SECRETS = ("headerValue", "password", "secret", "hmacSecret", "jwtSecret")
"""The names under which a node has its secret, in `authConfig` or beside it."""
SECRET_PATHS = tuple(prefix + name for prefix in ("authConfig.", "") for name in SECRETS)

_IDENT = re.compile(r"[A-Za-z0-9_~-]{1,200}")

Findings = dict[str, str]
"""Parameter path -> what is wrong."""


@record
class HookParameters:
    """The parameters of one Webhook node. code: status of a successful answer."""

    path: str
    n8n_path: str
    """Where n8n serves the node, when that is another path: below its webhookId; else empty."""
    methods: tuple[str, ...]
    mode: str
    data: str
    code: int
    authentication: str
    property_name: str
    """Name of the binary property that firstEntryBinary answers with."""
    raw: Mapping[str, Json]
    options: Mapping[str, Json]
    findings: Findings = field(default_factory=dict)

    @property
    def registrable(self) -> bool:
        """Whether path and methods are good enough for a registration."""
        return "path" not in self.findings and bool(self.methods)


def read(node: Node) -> HookParameters:
    """Read a node; mistakes go to `findings`, and the default holds in their place."""
    raw = node.parameters
    findings: Findings = {}
    options = raw.get("options")
    if not isinstance(options, dict):
        options = {}
    n8n = node.version is not None
    # n8n serves an exported node without a path under its webhookId.
    path = _path(raw.get("path") or (node.webhook_id if n8n else None), findings)
    return HookParameters(
        path=path,
        n8n_path=_n8n_path(node, path),
        methods=_methods(raw, "GET" if n8n else "POST", findings),
        mode=_choice(raw, "responseMode", RESPONSE_MODES, "onReceived", findings),
        data=_choice(raw, "responseData", RESPONSE_DATA, "firstEntryJson" if n8n else "allEntries", findings),
        code=_code(raw, options, findings),
        authentication=_kind(raw.get("authentication"), findings),
        property_name=text(raw, "responseBinaryPropertyName", findings) or "data",
        raw=raw,
        options=options,
        findings=findings,
    )


def is_expression(value: object) -> bool:
    """Whether a value would have to be evaluated, which a trigger cannot: nothing runs yet."""
    return isinstance(value, str) and value.startswith("=") and "{{" in value


def literal(value: Json, name: str, findings: Findings) -> Json:
    """The value itself; n8n's mark for a fixed text in expression mode is removed. An expression is a finding."""
    if is_expression(value):
        findings[name] = "An expression is not possible here; write the value itself or use a credential."
        return None
    return value[1:] if isinstance(value, str) and value.startswith("=") else value


def text(raw: Mapping[str, Json], name: str, findings: Findings, prefix: str = "") -> str:
    """A text parameter; empty when absent."""
    value = literal(raw.get(name), prefix + name, findings)
    if value is None:
        return ""
    if not isinstance(value, str):
        findings[prefix + name] = "This must be a text."
        return ""
    return value


def _path(value: Json, findings: Findings) -> str:
    if not isinstance(value, str) or not paths.split(value):
        findings["path"] = "A webhook needs a path, such as orders/new."
        return ""
    if is_expression(value):
        findings["path"] = "The path must be fixed; use :name segments for what varies."
        return ""
    path = value.removeprefix("=")
    names = [name for _, name in paths.parameter_names(path)]
    if "" in names:
        findings["path"] = "A path parameter needs a name after its colon."
    elif len(set(names)) < len(names):
        findings["path"] = "Two parameters of the path have the same name."
    elif len(path) > 2000 or len(paths.split(path)) > 60:
        findings["path"] = "The path is too long; at most 2000 characters and 60 segments."
    elif "?" in path or "#" in path:
        findings["path"] = "The path may not hold ? or #; the query reaches the workflow without being named here."
    return path


def _n8n_path(node: Node, path: str) -> str:
    """n8n puts the webhookId in front of a path with parameters."""
    ident = node.webhook_id or ""
    return f"{ident}/{path.strip('/')}" if _IDENT.fullmatch(ident) and paths.parameter_names(path) else ""


def _methods(raw: Mapping[str, Json], default: str, findings: Findings) -> tuple[str, ...]:
    several = raw.get("multipleMethods") is True
    value = raw.get("httpMethod", ["GET", "POST"] if several else default)
    listed = value if isinstance(value, list) else [value]
    found = [str(literal(item, "httpMethod", findings)).upper() for item in listed]
    wrong = [method for method in found if method not in METHODS]
    if wrong or not found:
        findings["httpMethod"] = f"The method must be one of {', '.join(METHODS)}."
        return ()
    return tuple(dict.fromkeys(found))


def _choice(raw: Mapping[str, Json], name: str, allowed: tuple[str, ...], default: str, findings: Findings) -> str:
    value = literal(raw.get(name, default), name, findings)
    if isinstance(value, str) and value in allowed:
        return value
    findings.setdefault(name, f"{name} must be one of {', '.join(allowed)}.")
    return default


def _kind(value: Json, findings: Findings) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, str) and value in KINDS:
        return KINDS[value]
    findings["authentication"] = f"authentication must be one of {', '.join(dict.fromkeys(KINDS.values()))}."
    return "unknown"


def _code(raw: Mapping[str, Json], options: Mapping[str, Json], findings: Findings) -> int:
    value: Json = raw.get("responseCode")
    name = "responseCode"
    nested = options.get("responseCode")
    if isinstance(nested, dict) and isinstance(values := nested.get("values"), dict):
        name = "options.responseCode.values.responseCode"
        value = values.get("responseCode")
        if value == "customCode":
            name, value = "options.responseCode.values.customCode", values.get("customCode")
    elif nested is not None and value is None:
        name, value = "options.responseCode", nested
    if value is None:
        return 200
    number = _number(literal(value, name, findings))
    if 200 <= number <= 599:
        return number
    findings.setdefault(name, "The response code must be a whole number from 200 to 599.")
    return 200


def _number(value: Json) -> int:
    if isinstance(value, bool) or value is None:
        return -1
    if isinstance(value, int | float):
        return int(value) if math.isfinite(value) and value == int(value) else -1
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return -1
