"""`jackfield copilot`: a profile's agent works on a draft, and somebody decides what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import Cli, config_dir_option, echo_json, echo_remark, json_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import completed, completed_of
from jackfield.api.errors import InvalidInput
from jackfield.api.management import ManagementClient
from jackfield_copilot.cli.deciding import UNDECIDED, Decision, decide
from jackfield_copilot.cli.following import CopilotFollower, Permissions
from jackfield_copilot.cli.showing import show_changes

_SESSIONS = "/api/copilot/sessions"
_START = 660.0
"""Seconds for an agent to be ready; the daemon has its own limit."""


@click.command()
@click.argument("text", required=False, default="")
@click.option(
    "--profile",
    required=True,
    help="The alias of the profile whose agent works.",
    shell_complete=completed_of("/api/profiles", key="alias", about="agent_id"),
)
@click.option("--workflow", default=None, help="Id of the workflow.", shell_complete=completed("/workflows", key="id"))
@click.option(
    "--draft", default=None, help="Id of a draft to go on with.", shell_complete=completed("/drafts", key="id")
)
@click.option("--fix", default=None, metavar="EXECUTION", help="Repair this failed execution.")
@click.option("--cost", default=None, metavar="EXECUTION", help="Tell why this execution cost that much.")
@click.option("--explain", is_flag=True, help="Explain the workflow.")
@click.option(
    "--accept",
    "decision",
    type=click.Choice(["ask", "all", "none"]),
    default="ask",
    help="Accept the changes: ask you, all or none. Without a terminal, ask means none.",
)
@click.option("--allow-runs", is_flag=True, help="Let the agent run its draft without asking.")
@json_option
@config_dir_option
@click.pass_obj
@click.pass_context
def copilot(ctx: click.Context, cli: Cli, /, config_dir: Path | None, **given: Any) -> None:  # click's options
    """Let a profile's agent build, explain or repair a workflow as a draft, and decide on its changes.

    The exit code is 3 when changes are left that nobody has decided on.
    """
    directory = cli.config_dir(config_dir)
    client = DaemonClient(directory)
    begun = client.ask("POST", _SESSIONS, body=_body(given), timeout=_START).data
    as_json = bool(given["as_json"])
    with ManagementClient(directory) as daemon:
        path = f"/api/agent-sessions/{begun['session']['id']}"
        permissions = Permissions(
            daemon, begun["draft_id"], allow_runs=given["allow_runs"], ask=given["decision"] == "ask"
        )
        follower = CopilotFollower(client, path, permissions, as_json=as_json)
        try:
            follower.run()
        finally:
            client.ask("DELETE", path)
        found = cast("Mapping[str, Any]", daemon.ask("GET", f"/drafts/{begun['draft_id']}"))
        settled = _told(daemon, found, given["decision"], as_json=as_json)
    if not follower.completed:
        ctx.exit(1)
    if not settled:
        ctx.exit(UNDECIDED)


def _told(daemon: ManagementClient, draft: Mapping[str, Any], decision: Decision, *, as_json: bool) -> bool:  # JSON
    """Show the changes and have them decided on; whether none is left."""
    if as_json:
        echo_json(draft)
    else:
        show_changes(draft)
    settled = decide(daemon, draft, decision)
    if not settled and not as_json:
        echo_remark(f"`jackfield draft accept {draft['id']}` and `jackfield draft reject {draft['id']}` decide later.")
    return settled


def _body(given: Mapping[str, Any]) -> dict[str, object]:  # click's options
    """Raises `InvalidInput`."""
    chosen = [name for name in ("fix", "cost", "explain") if given[name]]
    if len(chosen) > 1:
        raise InvalidInput("Give one of --fix, --cost and --explain.")
    action = chosen[0] if chosen else "build"
    return {
        "profile_alias": given["profile"],
        "action": action,
        "text": given["text"],
        "workflow_id": given["workflow"],
        "draft_id": given["draft"],
        "execution_id": given["fix"] or given["cost"],
    }
