"""How a Bell node takes calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jackfield.api.call_triggers import CallTrigger

if TYPE_CHECKING:
    from jackfield.api.jsontext import Json
    from jackfield.api.workflows import Node

KIND = "bell"


class BellTrigger(CallTrigger):
    """Rings at `/bell/{door}`. With a code, only for those who know it."""

    kind = KIND
    nodes = (KIND,)

    def reception(self, node: Node) -> Mapping[str, Json]:
        code = node.parameters.get("code")
        guarded: dict[str, Json] = {
            "authentication": "headerAuth",
            "authConfig": {"headerName": "X-Bell-Code", "headerValue": code},
        }
        return {
            "path": node.parameters.get("door"),
            "httpMethod": "POST",
            "responseMode": "lastNode",
            "responseData": "firstEntryJson",
            **(guarded if code else {}),
        }
