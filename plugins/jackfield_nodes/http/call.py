"""The request of one HTTP Request item, whichever version of the parameters describes it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from jackfield.api.http_client import HttpBody as Body
from jackfield.api.http_client import HttpCall as Call
from jackfield.api.http_client import HttpReply as Reply
from jackfield.api.http_client import Pairs
from jackfield.api.records import record

__all__ = ["Body", "Call", "Expect", "Format", "Pairs", "Reply"]

Format: TypeAlias = "Literal['autodetect', 'json', 'text', 'file']"


@record
class Expect:
    """How the answer becomes items. split: one item per element of a JSON list."""

    format: Format = "autodetect"
    full: bool = False
    never_error: bool = False
    property_name: str = "data"
    split: bool = True
