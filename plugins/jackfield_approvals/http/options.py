"""Options as both APIs show them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.approvals import ApprovalOption
from jackfield.api.jsontext import Json


def option_views(options: Sequence[ApprovalOption]) -> list[Json]:
    return [{"id": one.id, "label": one.label, "allows": one.allows, "lasting": one.lasting} for one in options]
