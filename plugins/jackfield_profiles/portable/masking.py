"""Texts of a profile without their secrets: what leaves the host is read by more people than its settings are."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.secret_texts import hidden_arguments, hidden_text, is_reference, is_secret_name
from jackfield_profiles.mcp_servers import HIDDEN
from jackfield_profiles.wiring.environment import MASK


def hidden(value: Json) -> Json:
    """The same in its form: values of `env` and `headers` are masked unless they name a variable. A proxy does not
    show the value of a secret header that it compares. Other texts are masked as `hidden_text` says."""
    if isinstance(value, dict):
        of_header = value.get("type") == "header" and is_secret_name(str(value.get("name")))
        return {
            name: MASK if of_header and name == "equals" else _part(value, name, part) for name, part in value.items()
        }
    if isinstance(value, list):
        return _listed(value)
    return hidden_text(value) if isinstance(value, str) else value


def has_mask(value: Json) -> bool:
    """Whether anything in it is hidden."""
    if isinstance(value, dict):
        return any(has_mask(part) for part in value.values())
    if isinstance(value, list):
        return any(has_mask(part) for part in value)
    return isinstance(value, str) and MASK in value


def _part(whole: dict[str, Json], name: str, part: Json) -> Json:
    if name in HIDDEN:
        return _values(part)
    if isinstance(part, str) and is_secret_name(name):
        return part if is_reference(part) else MASK
    program = whole.get("command")
    if name == "args" and isinstance(part, list) and isinstance(program, str):
        return _listed(part, program)
    return hidden(part)


def _values(part: Json) -> Json:
    if not isinstance(part, dict):
        return hidden(part)
    return {name: one if is_reference(str(one)) else MASK for name, one in part.items()}


def _listed(values: list[Json], program: str = "") -> list[Json]:
    """program: that they are arguments of."""
    texts = hidden_arguments([each if isinstance(each, str) else "" for each in values], program)
    return [text if isinstance(each, str) else hidden(each) for each, text in zip(values, texts, strict=True)]
