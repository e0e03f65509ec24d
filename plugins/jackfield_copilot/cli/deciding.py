"""Changes of a draft accepted and rejected from a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import click

from jackfield.api.errors import InvalidInput
from jackfield.api.management import ManagementClient
from jackfield_copilot.cli.showing import one_line, plain

Decision: TypeAlias = Literal["all", "none", "ask"]
UNDECIDED = 3
"""Exit code when the draft has changes that nobody has decided on."""


def accept(
    daemon: ManagementClient,
    draft: Mapping[str, Any],
    changes: Sequence[str] | None,
    *,
    overwrite: bool,  # JSON
) -> dict[str, Any]:  # as POST /api/v1/drafts/{id}/accept answers
    body = {
        "revision": draft["revision"],
        "changes": None if changes is None else list(changes),
        "overwrite": overwrite,
    }
    found: dict[str, Any] = daemon.ask("POST", f"/drafts/{draft['id']}/accept", body=body)
    return found


def tell_accepted(done: Mapping[str, Any]) -> None:  # as above
    saved = done["workflow"]
    state = "It is live." if saved["active"] else "It is not live."
    click.echo(plain(f"Version {saved['version']} of {saved['name']} ({saved['id']}) is saved. {state}"))
    if saved["formerVersion"] is not None:
        click.echo(f"Version {saved['formerVersion']} can be restored in the editor's history.")


def decide(daemon: ManagementClient, draft: Mapping[str, Any], decision: Decision) -> bool:  # JSON
    """Whether nothing is left to decide on."""
    changes = draft["changes"]
    if not changes:
        return True
    if decision == "ask" and not sys.stdin.isatty():
        decision = "none"
    chosen = _asked(changes) if decision == "ask" else [one["id"] for one in changes] if decision == "all" else []
    if not chosen:
        return False
    done = accept(daemon, draft, chosen, overwrite=False)
    tell_accepted(done)
    return not done["draft"]["changes"]


def _asked(changes: Sequence[Mapping[str, Any]]) -> list[str]:  # JSON
    """The choice of somebody: all, none, or one by one."""
    answer = click.prompt("Accept the changes?", type=click.Choice(["all", "some", "none"]), default="none")
    if answer == "none":
        return []
    if answer == "all":
        return [str(one["id"]) for one in changes]
    nodes = [one for one in changes if one["kind"] != "wire"]
    chosen = [str(one["id"]) for one in nodes if click.confirm(one_line(one), default=False)]
    taken = {wire for one in nodes if one["id"] in chosen for wire in one.get("wires") or ()}
    wires = [one for one in changes if one["kind"] == "wire" and one["id"] not in taken]
    free = [one for one in wires if all(need in chosen for need in one["needs"])]
    return [*chosen, *(str(one["id"]) for one in free if click.confirm(one_line(one), default=False))]


def require_ids(changes: Sequence[str], *, every: bool) -> Sequence[str] | None:
    """The changes that a command names; None: all. Raises `InvalidInput`."""
    if every == bool(changes):
        raise InvalidInput(
            "Name changes with --change, or give --all.", details={"change": "see `jackfield draft show`"}
        )
    return None if every else changes
