"""The form of `authConfig`: its fields, and the presets of every plugin with theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeParameters
from jackfield.api.nodes.fields import fields_of, only_when
from jackfield.api.nodes.forms import Control, FieldChoice, NodeField
from jackfield.api.nodes.ui import Case
from jackfield.api.webhooks import PresetField
from jackfield_webhooks.authentication.credentials import REQUIRE_EXP
from jackfield_webhooks.authentication.presets import KnownPreset, PresetCatalog
from jackfield_webhooks.authentication.signatures import ALGORITHMS, ENCODINGS
from jackfield_webhooks.form import AuthConfig

ModelT = TypeVar("ModelT", bound=NodeParameters)
_FIELDS: tuple[tuple[str, str, str, bool], ...] = (
    ("headerName", "Header name", "For headerAuth.", False),
    ("headerValue", "Header value", "For headerAuth.", True),
    ("username", "User name", "For basicAuth.", False),
    ("password", "Password", "For basicAuth.", True),
    ("secret", "Secret", "For hmac, and for jwtAuth with an HS algorithm.", True),
    ("publicKey", "Public key", "For jwtAuth with any other algorithm.", False),
)
"""Name, title, description, and whether it is a secret."""


def auth_fields(presets: Sequence[KnownPreset]) -> list[NodeField]:
    """`authConfig` as a form shows it, with what the presets need."""
    found = fields_of(AuthConfig)
    choices = [FieldChoice(value=one.name, label=one.label, help=one.description) for one in presets]
    for place, field in enumerate(found):
        if field.name == "preset":
            found[place] = field.model_copy(update={"choices": [FieldChoice(value="", label="None"), *choices]})
    for one in presets:
        case: Case = {"/authentication": "hmac", "preset": one.name}
        found += only_when([_preset_field(field) for field in one.fields], case)
    return found


def _preset_field(field: PresetField) -> NodeField:
    choices = [FieldChoice(value=option, label=option) for option in field.options]
    control: Control = "select" if choices else "text"
    return NodeField(
        name=field.name, control=control, label=field.label, help=field.description, choices=choices, default=""
    )


def described(model: type[ModelT], presets: PresetCatalog) -> type[ModelT]:
    """The same model, whose JSON Schema tells the form of `authConfig`. The presets are asked for with the schema."""

    def schema(cls: type[NodeParameters], /, *arguments: object, **named: object) -> dict[str, Json]:
        whole = super(made, cls).model_json_schema(*arguments, **named)  # type: ignore[arg-type]  # as pydantic has them
        whole["properties"]["authConfig"] |= {"properties": _auth_config(list(presets.all()))}
        return whole

    made = cast(
        "type[ModelT]",
        type(model.__name__, (model,), {"__doc__": model.__doc__, "model_json_schema": classmethod(schema)}),
    )
    return made


def _auth_config(presets: list[KnownPreset]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for name, title, description, secret in _FIELDS:
        shown: dict[str, Json] = {"type": "string", "title": title, "description": description}
        found[name] = {**shown, "secret": True} if secret else shown
    senders: list[Json] = [{"const": one.name, "title": one.label, "description": one.description} for one in presets]
    found["preset"] = {"title": "Preset", "description": "For hmac: how the sender signs.", "anyOf": senders}
    found["header"] = {"type": "string", "title": "Signature header", "description": "For hmac without a preset."}
    algorithms = ", ".join(ALGORITHMS)
    found["algorithm"] = {
        "type": "string",
        "title": "Algorithm",
        "description": f"For hmac without a preset: {algorithms}. For jwtAuth: HS256, RS256, ES256 and so on.",
    }
    found["encoding"] = {
        "title": "Encoding",
        "description": "For hmac without a preset.",
        "enum": list[Json](ENCODINGS),
    }
    found[REQUIRE_EXP] = {
        "type": "boolean",
        "title": "Tokens must expire",
        "description": "For jwtAuth: whether a token without exp is refused.",
        "default": True,
    }
    for one in presets:
        for field in one.fields:
            found.setdefault(field.name, _field(one, field.name))
    return found


def _field(preset: KnownPreset, name: str) -> dict[str, Json]:
    field = next(one for one in preset.fields if one.name == name)
    shown: dict[str, Json] = {
        "title": field.label,
        "description": " ".join(filter(None, [f"For the preset {preset.label}.", field.description])),
    }
    return shown | ({"enum": list[Json](field.options)} if field.options else {"type": "string"})
