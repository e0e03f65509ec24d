"""Environments: daemons that get their workflows from one repository, such as development and production."""

from __future__ import annotations

from typing import Protocol


class Environment(Protocol):
    """The port: what this daemon's environment lets people do."""

    def check_writable(self) -> None:
        """Every caller that changes a workflow asks first.

        Raises `Conflict` where workflows come from the repository alone.
        """
