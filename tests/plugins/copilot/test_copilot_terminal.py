"""An agent's requests at a terminal where nobody is, and one that cannot be refused."""

from __future__ import annotations

from typing import Any, cast

from jackfield.api.management import ManagementClient
from jackfield_copilot.cli.following import Permissions


def test_what_offers_no_way_to_refuse_is_not_allowed() -> None:
    nobody = Permissions(cast("ManagementClient", None), "d", allow_runs=True, ask=False)
    asked: dict[str, Any] = {"tool": "Bash", "title": "rm", "cut": False, "options": []}
    for kinds, chosen in (
        (["allow_once", "reject_once"], "reject_once"),
        (["reject_always", "allow_always"], "reject_always"),
        (["allow_once", "allow_always"], None),
        ([], None),
    ):
        asked["options"] = [{"id": kind, "kind": kind} for kind in kinds]
        assert nobody.option(asked) == chosen
