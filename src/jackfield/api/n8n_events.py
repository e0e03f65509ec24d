"""The names that n8n's log streaming has for the same events, for whoever has rules for them.

Source: https://docs.n8n.io/log-streaming/#available-events
"""

from __future__ import annotations

from collections.abc import Mapping

_USER, _WORKFLOW = "n8n.audit.user", "n8n.audit.workflow"
_SUCCESS: Mapping[str, str] = {
    "user.login": f"{_USER}.login.success",
    "user.create": f"{_USER}.signedup",
    "user.update": f"{_USER}.updated",
    "user.role.update": f"{_USER}.updated",
    "user.password": f"{_USER}.reset",
    "user.delete": f"{_USER}.deleted",
    "user.invite": f"{_USER}.invited",
    "api-key.create": f"{_USER}.api.created",
    "api-key.delete": f"{_USER}.api.deleted",
    "credential.create": f"{_USER}.credentials.created",
    "credential.update": f"{_USER}.credentials.updated",
    "credential.delete": f"{_USER}.credentials.deleted",
    "credential.share": f"{_USER}.credentials.shared",
    "community-node.create": "n8n.audit.package.installed",
    "community-node.update": "n8n.audit.package.updated",
    "community-node.delete": "n8n.audit.package.deleted",
    "workflow.create": f"{_WORKFLOW}.created",
    "workflow.import": f"{_WORKFLOW}.created",
    "workflow.duplicate": f"{_WORKFLOW}.created",
    "workflow.update": f"{_WORKFLOW}.updated",
    "workflow.version.restore": f"{_WORKFLOW}.updated",
    "draft.accept": f"{_WORKFLOW}.updated",
    "workflow.delete": f"{_WORKFLOW}.deleted",
    "workflow.activate": f"{_WORKFLOW}.activated",
    "workflow.publish": f"{_WORKFLOW}.activated",
    "workflow.deactivate": f"{_WORKFLOW}.deactivated",
    "workflow.unpublish": f"{_WORKFLOW}.deactivated",
    "workflow.execute": f"{_WORKFLOW}.executed",
    "workflow.execute-async": f"{_WORKFLOW}.executed",
    "variable.create": "n8n.audit.variable.created",
    "variable.update": "n8n.audit.variable.updated",
    "variable.delete": "n8n.audit.variable.deleted",
    "execution.delete": "n8n.audit.execution.deleted",
}
_OTHERWISE: Mapping[str, str] = {"user.login": f"{_USER}.login.failed"}


def n8n_name(act: str, outcome: str) -> str:
    """Empty: n8n has no event for it, such as for acts that came to nothing."""
    return (_SUCCESS if outcome == "success" else _OTHERWISE).get(act, "")
