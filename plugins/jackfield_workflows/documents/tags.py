"""The tags that a workflow document names."""

from __future__ import annotations

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

TAGS = "tags"
LONGEST = 255
"""Characters of a tag's name."""
MOST = 100
"""Tags of one workflow."""


def tag_names(document: Json) -> list[str] | None:
    """The names under `tags`, each once: texts, or objects with a `name` as n8n writes them. None when there is no such
    key. Raises `InvalidInput` for anything else."""
    given = document.get(TAGS) if isinstance(document, dict) else None
    if given is None:
        return None
    if not isinstance(given, list) or len(given) > MOST:
        raise _mistake({TAGS: f"give a list of at most {MOST} tags"})
    wrong = {f"{TAGS}[{index}]": "give a name" for index, tag in enumerate(given) if not _name(tag)}
    long = {f"{TAGS}[{index}]": _LONG for index, tag in enumerate(given) if len(_name(tag)) > LONGEST}
    if wrong or long:
        raise _mistake({**wrong, **long})
    return list(dict.fromkeys(_name(tag) for tag in given))


_LONG = f"a name has at most {LONGEST} characters"


def _name(tag: Json) -> str:
    found = tag.get("name") if isinstance(tag, dict) else tag
    return found.strip() if isinstance(found, str) else ""


def _mistake(details: dict[str, Json]) -> InvalidInput:
    return InvalidInput("The workflow's tags cannot be read; see details.", details=details)
