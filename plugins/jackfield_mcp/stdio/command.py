"""`jackfield mcp`: for agents that start their MCP servers themselves."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import DaemonCall, completed, completed_whole, daemon_command, segment
from jackfield.api.json_values import Json
from jackfield.api.object_references import load
from jackfield.api.workflow_tools import SETTING

_BRIDGE = "jackfield_mcp.stdio.bridge:serve"


@click.group("mcp", cls=CommandGroup, invoke_without_command=True)
@click.option("--endpoint", metavar="URL", help="Scheme, host and port of the daemon, in place of the directory's.")
@config_dir_option
@click.pass_context
def mcp(context: click.Context, endpoint: str | None, config_dir: Path | None) -> None:
    """Serve the running daemon to an MCP client, over standard input and output.

    Start it by an agent: `claude mcp add jackfield -- jackfield mcp`. The daemon must run already. An agent reaches all
    that the daemon's user may, unless JACKFIELD_API_KEY names a key with fewer scopes.
    """
    if context.invoked_subcommand is not None:
        return
    cli = cast("Cli", context.obj)
    serve = cast("Callable[..., None]", load(_BRIDGE))
    serve(DaemonClient(cli.config_dir(config_dir), endpoint), sys.stdin.buffer, sys.stdout.buffer)


@mcp.command("grants")
@daemon_command
def grants(call: DaemonCall) -> None:
    """List the MCP clients that were let in by OAuth."""
    columns = {"ID": "id", "CLIENT": "client", "USER": "userId", "SCOPES": "scopes", "EXPIRES": "expiresAt"}
    found = call.ask("GET", "/mcp/grants")
    call.table(columns, found["data"], "No client was let in.")


@mcp.command("offered")
@daemon_command
def offered(call: DaemonCall) -> None:
    """List the live workflows that agents of profiles have as tools."""
    columns = {"TOOL": "name", "WORKFLOW": "workflowName", "ID": "workflowId", "DESCRIPTION": "description"}
    found = call.ask("GET", "/mcp/offered-tools")
    call.table(columns, found["data"], "No live workflow is offered as a tool.")


@mcp.command("offer")
@click.argument("workflow", shell_complete=completed("/workflows"))
@click.option("--name", help="By which agents call it (default: as it is, or made of the workflow's name).")
@click.option("--description", help="For models: when to call it, and what it gives.")
@click.option(
    "--schema",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file with the JSON Schema of the arguments (default: as it is, or what the start node says).",
)
@click.option("--start", help="Name of the node at which a call starts.")
@click.option("--off", is_flag=True, help="Offer it no more; its texts are kept.")
@daemon_command
def offer(
    call: DaemonCall,
    workflow: str,
    name: str | None,
    description: str | None,
    schema: Path | None,
    start: str | None,
    off: bool,
) -> None:
    """Offer WORKFLOW, an id or a name, as a tool to the agents of all profiles, while it is live."""
    path = f"/workflows/{segment(call.identify('/workflows', workflow, 'workflow'))}"
    found = call.ask("GET", path)
    settings = found.get("settings") or {}
    given = {"name": name, "description": description, "startNode": start}
    changed: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if schema is not None:
        changed["inputSchema"] = _read(schema)
    now = {**(settings.get(SETTING) or {}), **changed, "enabled": not off}
    call.ask("PATCH", path, body={"settings": {**settings, SETTING: now}})
    state = "offered no more" if off else "offered as a tool" + ("" if found["active"] else " once it is active")
    call.say(f"The workflow {workflow} is {state}.", now)


def _read(file: Path) -> Json:
    """Raises `ClickException`."""
    try:
        found: Json = json.loads(file.read_text())
    except (OSError, ValueError) as exc:
        raise click.ClickException(f"{file} is no JSON: {exc}.") from None
    return found


@mcp.command("tokens")
@daemon_command
def tokens(call: DaemonCall) -> None:
    """List the tokens by which running agents of profiles reach tools of the daemon."""
    columns = {"ID": "id", "PROFILE": "profile", "KIND": "kind", "TOOLS": "tools", "EXPIRES": "expiresAt"}
    found = call.ask("GET", "/mcp/profile-tokens")
    call.table(columns, found["data"], "No running agent has a token.")


@mcp.command("revoke-token")
@click.argument("token", shell_complete=completed_whole("/mcp/profile-tokens", key="id", about="profile"))
@daemon_command
def revoke_token(call: DaemonCall, token: str) -> None:
    """End the TOKEN of a running agent, by its id: it reaches no tools any more."""
    call.ask("DELETE", f"/mcp/profile-tokens/{segment(token)}")
    call.say("The token counts no more.", {"revoked": token})


@mcp.command("revoke")
@click.argument("grant", shell_complete=completed_whole("/mcp/grants", key="id", about="client"))
@daemon_command
def revoke(call: DaemonCall, grant: str) -> None:
    """End the GRANT of an MCP client, by its id: its tokens count no more."""
    call.ask("DELETE", f"/mcp/grants/{segment(grant)}")
    call.say("The client is let in no more.", {"revoked": grant})
