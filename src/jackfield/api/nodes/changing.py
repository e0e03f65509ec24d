"""Node types and kinds of credentials that change while the daemon runs."""

from __future__ import annotations

from typing import Protocol


class ChangingNodes(Protocol):
    """The port of the kernel for a plugin of Jackfield's own whose hooks give something else than at the start, because
    an administrator has added or removed what they give."""

    def renew(self, plugin: str) -> None:
        """Ask the plugin's hooks `jackfield_nodes` and `jackfield_credential_kinds` again: what they give counts from
        the next run, check and form on, and what they no longer give is gone. It calls plugins: let a thread do it."""
