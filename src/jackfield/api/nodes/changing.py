"""Node types and kinds of credentials that change while the daemon runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..context import PluginContext


class ChangingNodes(Protocol):
    """The kernel's port for a plugin of Jackfield's own whose hooks give something else than at the start.

    An administrator has added or removed things that they give.
    """

    @property
    def renewals(self) -> int:
        """How often they have changed; what was made of node types before is stale."""

    def renew(self, plugin: str) -> None:
        """Ask the plugin's hooks `jackfield_nodes` and `jackfield_credential_kinds` again.

        New things count from the next run, check and form on, and things that they no longer give are gone. It calls
        plugins: let a thread do it.
        """


def renewals(context: PluginContext) -> int:
    """See `ChangingNodes.renewals`; 0 where nothing changes, as in a test without a kernel."""
    found = context.find_port(ChangingNodes)
    return 0 if found is None else found.renewals
