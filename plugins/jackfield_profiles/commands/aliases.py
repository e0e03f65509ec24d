"""Arguments that name a profile."""

from __future__ import annotations

import click

from jackfield.api.daemon_commands import completed_of

PATH = "/api/profiles"
complete_alias = completed_of(PATH, key="alias", about="agent_id")
alias_argument = click.argument("alias", shell_complete=complete_alias)
aliases_argument = click.argument("aliases", nargs=-1, shell_complete=complete_alias)
