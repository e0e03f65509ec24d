"""References to secrets that are kept elsewhere, as fields of credentials hold them: `={{ $secrets.vault.app.key }}`.

A field that begins with `=` and names `$secrets` is a template: text, and between `{{` and `}}` paths. A path begins
with `$secrets`, the name of a source and the name of a secret; `["a/b"]` stands for a name that is no identifier. There
are no operators and no calls: whatever a credential needs is known before anything is asked for.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from .records import record

_CODE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_PATH = re.compile(r"""\s*\$secrets((?:\.[A-Za-z_$][\w$]*|\[\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\])+)\s*""")
_PART = re.compile(r"""\.([A-Za-z_$][\w$]*)|\[\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)')\s*\]""")
_EXAMPLE = 'write a path such as {{ $secrets.vault.app.key }} or {{ $secrets.vault["team/app"].key }}'


@record
class SecretReference:
    """source: the name that the settings give it; path: what it is asked for, at least one name."""

    source: str
    path: tuple[str, ...]

    def __str__(self) -> str:
        names = (f".{name}" if re.fullmatch(r"[A-Za-z_$][\w$]*", name) else f'["{name}"]' for name in self.path)
        return f"$secrets.{self.source}{''.join(names)}"


Template: TypeAlias = "tuple[str | SecretReference, ...]"


def refers_to_secrets(text: str) -> bool:
    """Whether a field's text refers to secrets, well or badly."""
    return text.startswith("=") and "$secrets" in text


def template_of(text: str) -> Template:
    """The pieces of a field's text that refers to secrets. Raises ValueError with a clause that has no value in it."""
    pieces: list[str | SecretReference] = []
    end = 1
    for code in _CODE.finditer(text):
        if code.start() > end:
            pieces.append(text[end : code.start()])
        pieces.append(_reference(code[1]))
        end = code.end()
    if end < len(text):
        pieces.append(text[end:])
    if any(isinstance(piece, str) and ("{{" in piece or "$secrets" in piece) for piece in pieces):
        raise ValueError(f"has a reference that is not between {{{{ and }}}}; {_EXAMPLE}")
    return tuple(pieces)


def references_in(text: str) -> list[SecretReference]:
    """Raises ValueError as `template_of`; none in a text that refers to nothing."""
    return [piece for piece in template_of(text) if not isinstance(piece, str)] if refers_to_secrets(text) else []


def _reference(code: str) -> SecretReference:
    match = _PATH.fullmatch(code)
    if match is None:
        raise ValueError(f"may have paths of $secrets alone between {{{{ and }}}}; {_EXAMPLE}")
    names = [next(name for name in part if name) for part in _PART.findall(match[1]) if any(part)]
    if len(names) < 2:
        raise ValueError(f"names no secret; {_EXAMPLE}")
    return SecretReference(names[0], tuple(names[1:]))
