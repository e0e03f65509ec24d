"""The body of a call as the history shows it, and the call's item as the store keeps it.

Where it can be, both are in one text.
"""

from __future__ import annotations

import orjson

from jackfield.api.call_places import Places, moved, places_of
from jackfield.api.jsontext import LARGE
from jackfield.api.records import replace
from jackfield.api.storage import NewCall
from jackfield.api.workflows import Item
from jackfield_webhooks.bodies.parsing import ParsedBody
from jackfield_webhooks.calls.body_masking import BodyMask
from jackfield_webhooks.calls.call import IncomingCall

_NAME, _NEXT = b'"body":', b',"webhookUrl":'
_HOLE = _NAME + b"null" + _NEXT
"""Before it stand headers and parameters alone, none of which is null."""


def with_body(
    kept: NewCall, call: IncomingCall, item: Item, parsed: ParsedBody, mask: BodyMask, limit: int
) -> tuple[NewCall, bytes | None]:
    """The call with its body, and its items as JSON; None where nobody has written them yet. limit: bytes of the body
    in the history."""
    body = call.body
    encoded, begin = written(item, body) if parsed.is_json and _is_hidden_alike(call, parsed) else (None, 0)
    if len(body) > limit or not parsed.is_json:
        shown = mask.masked(body[:limit], call.headers.get("content-type", ""))
        return replace(kept, body=shown, truncated=len(body) > limit), encoded
    if mask.shows(body, parsed.body):
        shown = ""
        places: Places = ((begin, len(body)),)
    else:
        shown = mask.masked(body)
        places = moved(places_of(body, shown), begin)
    if encoded is not None and places:
        return replace(kept, places=places), encoded
    return replace(kept, body=shown or body.decode("utf-8", "replace")), encoded


def _is_hidden_alike(call: IncomingCall, parsed: ParsedBody) -> bool:
    """Whether the body that came may be kept.

    The search for hidden values knows our way of writing, and others may escape them or put spaces before them. A large
    one is not compared, as that would hold the event loop: it is written on a thread.
    """
    if not call.hidden:
        return True
    if len(call.body) >= LARGE:
        return False
    try:
        return orjson.dumps(parsed.body) == call.body
    except TypeError:
        return False


def written(item: Item, body: bytes) -> tuple[bytes | None, int]:
    """The item in a list, with the body as it came, and where that begins."""
    try:
        written = orjson.dumps([{**item, "json": {**item["json"], "body": None}}])
    except TypeError:
        return None, 0
    head, hole, tail = written.partition(_HOLE)
    if not hole:
        return None, 0
    return b"".join((head, _NAME, body, _NEXT, tail)), len(head) + len(_NAME)
