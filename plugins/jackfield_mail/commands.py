"""`jackfield mail`: a test mail of the running daemon."""

from __future__ import annotations

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, daemon_command


@click.group("mail", cls=CommandGroup)
def mail() -> None:
    """Mail of the daemon: send a test."""


@mail.command()
@click.argument("address")
@daemon_command
def test(call: DaemonCall, address: str) -> None:
    """Send a test mail to ADDRESS with the settings [mail] of the running daemon."""
    sent = call.ask("POST", "/mail/test", body={"to": address})
    call.say(f"The mail server has taken the test mail to {sent['to']}.", sent)
