"""`jackfield verify`: whether backups, or a configuration directory, are whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.cli import Cli, work_at
from jackfield_backup.progress import ShowProgress
from jackfield_backup.repository import BackupRepository
from jackfield_backup.restoring import Verified, verify_backups


def verified(cli: Cli, directory: Path, wanted: str | None, show: ShowProgress) -> Sequence[Verified]:
    """wanted: a backup's id; None: all of them. Raises `click.UsageError` where there is nothing to verify."""
    if BackupRepository(directory).is_there():
        return verify_backups(directory, wanted, show)
    if not (directory / "config.toml").exists() and not any(directory.glob("*.db")):
        raise click.UsageError(f"{directory} holds neither backups nor a configuration.")
    if wanted:
        raise click.UsageError(f"{directory} is a configuration directory, which has no backup {wanted!r}.")
    problems: list[str] = cli.run_in(directory, "backup", work_at("jackfield_backup.directories:verify_directory"))
    return [Verified(str(directory), "", 0, 0, problems)]
