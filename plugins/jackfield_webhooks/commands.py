"""`jackfield webhook`: list, show, history, test."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from jackfield.api.cli import Columns, CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield.api.errors import InvalidInput

PATH = "/webhooks"
LARGEST = 16 << 20
"""Bytes of a body."""
webhook_argument = click.argument("webhook", shell_complete=completed(PATH, key="path"))
COLUMNS: Columns = {
    "METHOD": "method", "PATH": "path", "ACTIVE": "active", "WORKFLOW": "workflowName", "AUTH": "authentication",
    "ID": "id",
}  # fmt: skip
CALLS: Columns = {
    "TIME": "timestamp", "STATUS": "status", "METHOD": "requestMethod", "ANSWER": "responseStatus", "MS": "duration",
    "EVENT": "event", "EXECUTION": "executionId",
}  # fmt: skip
CHECKS: Columns = {"CHECK": "name", "OK": "ok", "MESSAGE": "message"}


@click.group(cls=CommandGroup)
def webhook() -> None:
    """Webhooks: list, show, history of calls, test."""


@webhook.command("list")
@click.option("--active", is_flag=True, help="Only live ones.")
@daemon_command
def list_webhooks(call: DaemonCall, active: bool) -> None:
    """List the webhooks of all workflows."""
    query = {"active": "true"} if active else {}
    call.table(COLUMNS, call.daemon.rows(PATH, query), "There is no webhook.")


@webhook.command()
@webhook_argument
@daemon_command
def show(call: DaemonCall, webhook: str) -> None:
    """Show WEBHOOK, an id or a path: its addresses, its authentication without secrets, its counters."""
    call.fields(call.ask("GET", f"{PATH}/{segment(webhook)}"))


@webhook.command()
@webhook_argument
@click.option(
    "--status", type=click.Choice(["success", "failed", "timeout", "rejected", "pending"]), help="Only such calls."
)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="List at most this many.")
@daemon_command
def history(call: DaemonCall, webhook: str, status: str | None, limit: int) -> None:
    """List the calls of WEBHOOK, an id or a path, the newest first; with --json with bodies and headers."""
    query = {"limit": str(limit)} | ({"status": status} if status else {})
    found = call.ask("GET", f"{PATH}/{segment(webhook)}/history", query=query)
    call.table(CALLS, found["data"], "There is no call.")


@webhook.command()
@webhook_argument
@click.option("--method", "-X", help="Method of the call (default: the webhook's).")
@click.option("--header", "-H", "headers", multiple=True, metavar="NAME:VALUE", help="A header; repeatable.")
@click.option("--data", "-d", metavar="TEXT|@FILE|-", help="The body: JSON, or any text.")
@click.option("--sign", is_flag=True, help="Sign the call first with the webhook's own secret, as its sender would.")
@click.option("--send", is_flag=True, help="Make a call that passes, so that the workflow runs as a test.")
@daemon_command
def test(
    call: DaemonCall,
    webhook: str,
    method: str | None,
    headers: Sequence[str],
    data: str | None,
    sign: bool,
    send: bool,
) -> None:
    """Check whether WEBHOOK, an id or a path, would take a call. Exit code 1 when it would not."""
    body = {"method": method, "headers": dict(map(_header, headers)), "body": _body(data), "sign": sign, "send": send}
    found = call.ask("POST", f"{PATH}/{segment(webhook)}/test", body={k: v for k, v in body.items() if v is not None})
    if call.as_json:
        call.fields(found)
    else:
        call.table(CHECKS, found["checks"], "Nothing was checked.")
        if "answer" in found:
            call.fields(found["answer"])
    if not all(check["ok"] for check in found["checks"]):
        sys.exit(1)


def _header(given: str) -> tuple[str, str]:
    name, separator, value = given.partition(":")
    if not separator or not name.strip():
        raise InvalidInput(f"--header takes NAME:VALUE, not {name}.")
    return name.strip(), value.strip()


def _body(given: str | None) -> object:
    """The body of `--data`: JSON as such, any other text as it is. Raises `InvalidInput`."""
    if given is None:
        return None
    text = given
    if given == "-" or given.startswith("@"):
        try:
            with click.open_file(given.removeprefix("@"), "rb") as file:
                content = file.read(LARGEST + 1)
        except OSError as exc:
            raise InvalidInput(f"The body {given.removeprefix('@')} cannot be read: {exc.strerror}.") from None
        if len(content) > LARGEST:
            raise InvalidInput(f"A body has at most {LARGEST >> 20} MiB.")
        text = content.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text
