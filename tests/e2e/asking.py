"""An agent in a terminal that asks for a permission, without the agent."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield_approvals.asking.tokens import Asker, AskTokens

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext

ADDRESS = "/ask-approval/hook"


def asking_headers(config_dir: Path) -> dict[str, str]:
    """With the token of a launch, from the keys of the daemon with this directory."""
    secrets = FileSecrets(config_dir, Redactor(), {})
    tokens = AskTokens(cast("PluginContext", SimpleNamespace(secrets=secrets)))
    return {"Authorization": f"Bearer {tokens.make(Asker('work', 'terminal_session', 's1', 'off'))}"}


def asked(command: str) -> dict[str, object]:
    """The body of the hook."""
    return {"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": command}}
