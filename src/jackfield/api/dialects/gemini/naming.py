"""Names of fields and signatures as Google's JSON has them."""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache

from ..model import DialectName, Object
from ..names import MARK, tag_signature, untag_signature

_MARK = base64.b64encode(MARK)[:13].decode()
_UNDERSCORE = re.compile(r"_([a-z0-9])")


def camel(source: Object) -> Object:
    """The object with the names that the reference has; Google takes those with underscores as well, and its
    documentation writes many requests so. Objects inside stay as they are."""
    if not any("_" in name for name in source):
        return source
    return {_camel(name): value for name, value in source.items()}


@lru_cache(256)
def _camel(name: str) -> str:
    return _UNDERSCORE.sub(lambda found: found[1].upper(), name)


def client_signature(signature: str, origin: DialectName) -> str:
    """As a client of Gemini keeps it: base64, which its libraries decode."""
    tagged = tag_signature(signature, origin, "gemini")
    return tagged if origin == "gemini" and signature else base64.b64encode(tagged.encode()).decode()


def signature_of(text: str) -> tuple[str, DialectName]:
    """(signature, origin) of what a client sends back, in either alphabet of base64."""
    if not text.startswith(_MARK):
        return text, "gemini"
    try:
        decoded = base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return text, "gemini"
    return untag_signature(decoded, "gemini")
