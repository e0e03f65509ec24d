"""Parameters of nodes: the base of their models, shapes that nodes share, and which of them are secret.

A model marks a secret field with `json_schema_extra={"secret": True}`, or gives it one of pydantic's types for secrets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, ClassVar, TypeAlias, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, JsonValue, SecretBytes, SecretStr
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from ..jsontext import Json
from .needs import empty_parameters

ANY = "*"
"""In a path: every element of a list, every value of an object."""
ROWS_BY = "*?"
"""In a path, with a key behind it: every row whose value of that key names a credential, such as `Cookie`."""
IF_NAMED = "?"
"""At a path's end: a text of JSON, as a whole, if it gives a credential."""
CREDENTIAL_ROWS: dict[str, JsonValue] = {"credentialRows": True}
"""`json_schema_extra` of a list of rows with `name` and `value`: values of credentials are secrets."""
CREDENTIAL_JSON: dict[str, JsonValue] = {"credentialJson": True}
"""`json_schema_extra` of a text of JSON whose members are headers or the like: it is a secret if it gives one."""
_TYPES = (SecretStr, SecretBytes)


def marked_paths(model: type[BaseModel]) -> list[str]:
    """Paths of the marked fields, such as `options.password` and `rows.*.key`, under each name that a document may
    give them."""
    return sorted(set(_marked(model, ())))


def _marked(model: type[BaseModel], above: tuple[type[BaseModel], ...]) -> Iterator[str]:
    if model in above:
        return
    if not model.__pydantic_fields_complete__:
        model.model_rebuild()
    for name, field in model.model_fields.items():
        names = {name, field.alias or name}
        tails = _own_tails(field) or [f".{tail}" for tail in _below(field.annotation, (*above, model))]
        yield from (own + tail for own in names for tail in tails)


def _own_tails(field: FieldInfo) -> list[str]:
    """Of the paths to what the field itself marks as secret."""
    if is_secret(field):
        return [""]
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    rows = [f".{ROWS_BY}name.value"] if extra.get("credentialRows") else []
    return rows + ([f".{IF_NAMED}"] if extra.get("credentialJson") else [])


def is_secret(field: FieldInfo) -> bool:
    """Whether a form would hide what is typed into it."""
    extra = field.json_schema_extra
    if isinstance(extra, dict) and (extra.get("secret") or extra.get("writeOnly") or extra.get("format") == "password"):
        return True
    return any(kind in _TYPES for kind in (field.annotation, *get_args(field.annotation)))


def _below(annotation: Any, above: tuple[type[BaseModel], ...]) -> Iterator[str]:  # whatever can be annotated
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _marked(annotation, above)
        return
    origin = get_origin(annotation)
    many = isinstance(origin, type) and issubclass(origin, Collection)
    for argument in get_args(annotation):
        yield from (f"{ANY}.{tail}" if many else tail for tail in _below(argument, above))


def _as_documented(model: type[BaseModel], given: Mapping[str, Json]) -> Mapping[str, Json]:
    """The same object when nothing goes."""
    changed: dict[str, Json] = {}
    gone: set[str] = set()
    for name, field in model.model_fields.items():
        key = field.alias or name
        if name in given and name != key and not _is_alias(model, name):
            gone.add(name)
        if key not in given:
            continue
        value = given[key]
        if value is None:
            gone |= {key} if isinstance(field.default, str) and _takes_any_text(field) else set()
        elif isinstance(value, dict | list) and (made := _inner_as_documented(field.annotation, value)) is not value:
            changed[key] = made
    if not (changed or gone):
        return given
    return {key: changed.get(key, value) for key, value in given.items() if key not in gone}


def _is_alias(model: type[BaseModel], name: str) -> bool:
    return any(field.alias == name for field in model.model_fields.values())


def _takes_any_text(field: FieldInfo) -> bool:
    return field.annotation is str or field.annotation is object


def _inner_as_documented(annotation: Any, value: Json) -> Json:  # whatever can be annotated
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        made = _as_documented(annotation, value) if isinstance(value, dict) else value
        return value if made is value else dict(made)  # type: ignore[arg-type]  # an object like the given one
    for argument in get_args(annotation):
        if isinstance(value, list):
            rows = [_inner_as_documented(argument, one) for one in value]
            value = rows if any(new is not old for new, old in zip(rows, value, strict=True)) else value
        else:
            value = _inner_as_documented(argument, value)
    return value


class NodeParameters(BaseModel):
    """Base of every node's parameters: unknown keys are kept, names as in the document, built on first use."""

    model_config = ConfigDict(extra="allow", defer_build=True, populate_by_name=True)

    takes_leaves: ClassVar[bool] = False
    """Whether the node reads every field of the type `object` through `jackfield.api.nodes.leaves.filled`, changes no
    parameters, and no validator looks into such a field. Then `NodeRun.resolve_apart` validates once for all items."""

    @classmethod
    def completed(cls, parameters: Mapping[str, Json]) -> Mapping[str, Json]:
        """A node's parameters, as the document has them, without each null that stands for a text: there the default
        holds, as in n8n. Other nulls stay, and so does what an expression gives. A key that only Python spells so, such
        as `workflow_json`, goes too: whoever looks at a document (secrets, scopes, references) looks for its own names.
        """
        return _as_documented(cls, parameters)

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        """Which of a node's parameters, as the document has them, are JSON texts with expressions inside: objects print
        there as JSON. Paths such as `jsonOutput` and `fields.values[0].objectValue`."""
        return ()

    @classmethod
    def late(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        """Which of them, with all below, `resolve` leaves as written, because the node evaluates them itself when it
        knows more (`NodeRun.evaluate`). Paths as above, such as `options.pagination`."""
        return ()

    @classmethod
    def undefined(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        """Which of them are `jackfield.api.javascript.UNDEFINED` where their expression gives nothing; all others are
        None there. Paths as above, such as `values.string[0].value`."""
        return ()

    @classmethod
    def secret_paths(cls) -> Collection[str]:
        """Which parameters hold secrets that no answer and no export shows.

        Paths such as `options.password`. In them, `*` stands for every element, and `*?name` for every row whose `name`
        names a credential. A `?` at the end stands for a JSON text that gives one. Default: the fields with
        `json_schema_extra={"secret": True}`, `CREDENTIAL_ROWS` or `CREDENTIAL_JSON`.
        """
        return marked_paths(cls)

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        """The parts of them, as the document has them, that keep executions from starting that could reach the node.

        Path as above -> why, and the remedy. Default: every empty field that is marked with `needed`.
        """
        return empty_parameters(cls, parameters)

    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        """The parts of them, as the document has them, that are allowed and hardly meant: path as above -> their effect
        and the better value. `POST /workflows/validate` warns of it.
        """
        return {}


def _flag(value: object) -> object:
    """As JavaScript has it, what an expression does not give is false."""
    return False if value is None or value == "" else value


Flag: TypeAlias = Annotated[bool, BeforeValidator(_flag)]
"""A truth value that an expression may give: null and empty text, which also an empty expression gives, are false."""


class Parameters(NodeParameters):
    """camelCase as in the document; a number or a truth value where text is expected is taken as its text."""

    model_config = ConfigDict(alias_generator=to_camel, coerce_numbers_to_str=True, protected_namespaces=())


class NoParameters(Parameters):
    """A node without parameters that count; what the document has is kept."""
