"""The protocols that this plugin gives at the extension point."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.agent_protocols import AgentProtocol
from jackfield_agent_sessions.protocols.acp import AcpProtocol
from jackfield_agent_sessions.protocols.claude import ClaudeProtocol
from jackfield_agent_sessions.protocols.codex import CodexProtocol

PROTOCOLS: Sequence[AgentProtocol] = (ClaudeProtocol(), CodexProtocol(), AcpProtocol())
