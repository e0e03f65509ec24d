"""Where bodies of calls stand in the inputs of their executions, as `calls.body` has it.

They stand behind a mark that is no text, since texts are escaped (`texts`).
"""

from __future__ import annotations

MARK = "chr(1) || chr(4)"
"""As SQL. A trigger of `schema` has it too."""
PLACED = f"starts_with(c.body, {MARK})"
"""A condition on `calls c`."""
OWN_BODY = f"CASE WHEN {PLACED} THEN '' ELSE c.body END"
"""The body that stands there itself."""
PLACES = f"CASE WHEN {PLACED} THEN substr(c.body, 3) ELSE '' END"
"""As `jackfield.api.call_places` writes them; empty: it stands there itself."""
PLACE = f"""UPDATE calls c SET body = {MARK} || t.places
    FROM unnest(%s::text[], %s::text[], %s::text[]) AS t (places, webhook_id, id)
    WHERE c.webhook_id = t.webhook_id AND c.id = t.id"""  # noqa: S608 - our own words
