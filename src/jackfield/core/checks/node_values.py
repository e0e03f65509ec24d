"""Has a node type values that the host and its API can use?"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping

from jackfield.api.auth import SCOPES
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeOffer, NodeType

_KIND = re.compile(r"[@A-Za-z][A-Za-z0-9_.@/-]{0,199}")
_HELP = re.compile(r"|[a-z0-9-]+(#[\w-]+)?|https://[^\s\"'<>\\]{1,2000}")
_TEXTS = ("display_name", "summary", "group", "provides", "missing")
_LISTS = ("outputs", "accepts", "needs", "scopes")


def kind_mistakes(kind: object) -> Iterator[str]:
    """One clause, with the remedy, when it is no kind."""
    if not isinstance(kind, str) or _KIND.fullmatch(kind) is None:
        yield f"its kind {_shown(kind)} is none; write a letter, then at most 199 letters, digits and _ . @ / -"


def offer_mistakes(offer: NodeOffer) -> Iterator[str]:
    """The same of a node type that is not made yet."""
    yield from kind_mistakes(offer.kind)
    if not isinstance(offer.reference, str):
        yield f"its object reference {_shown(offer.reference)} is no text; write module:Class"


def node_mistakes(node: NodeType) -> Iterator[str]:
    """One clause per value. The node type has every member."""
    yield from kind_mistakes(node.kind)
    versions: object = node.versions
    if not isinstance(versions, Collection) or isinstance(versions, str | bytes) or not all(map(_is_number, versions)):
        yield f"its versions {_shown(versions)} are no numbers; write such as (1.0,)"
    effect: object = node.effect
    if not isinstance(effect, bool):
        yield f"its effect {_shown(effect)} is neither True nor False"
    description: object = node.description
    if isinstance(description, NodeDescription):
        yield from _description_mistakes(description)
    else:
        yield f"its description is a {type(description).__name__}; write a NodeDescription"


def _description_mistakes(description: NodeDescription) -> Iterator[str]:
    for name in _TEXTS:
        if not isinstance(getattr(description, name), str):
            yield f"description.{name} is no text"
    place: object = description.help
    if not isinstance(place, str) or _HELP.fullmatch(place) is None:
        yield f"description.help {_shown(place)} is no page; write such as webhooks#the-node, or an https address"
    for name in _LISTS:
        if not _is_list_of(getattr(description, name), str):
            yield f"description.{name} is no list of texts"
    if _is_list_of(description.scopes, str) and not SCOPES.issuperset(description.scopes):
        unknown = _shown(min(set(description.scopes) - SCOPES))
        yield f"description.scopes has {unknown}, which no key can have; name scopes of jackfield.api.auth.SCOPES"
    inputs: object = description.inputs
    if isinstance(inputs, bool) or not isinstance(inputs, int) or inputs < 0:
        yield "description.inputs is no number of inputs"
    for name in ("trigger", "reads_items"):
        if not isinstance(getattr(description, name), bool):
            yield f"description.{name} is neither True nor False"
    if not _is_list_of(description.credentials, NodeCredential):
        yield "description.credentials is no list of NodeCredential"
        return
    for credential in description.credentials:
        if not isinstance(credential.kind, str) or not isinstance(credential.parameter or "", str):
            yield "description.credentials has a kind or a parameter that is no text"
        if not isinstance(credential.when or {}, Mapping):
            yield "description.credentials has a condition that is no mapping"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, kind) for one in value)


def _shown(value: object) -> str:
    return repr(value)[:80]
