"""Kinds of registrations, and the name of the fact that lists where subscriptions are kept."""

from __future__ import annotations

POLL, SUBSCRIBE, LISTEN, LIFECYCLE = "poll", "subscribe", "listen", "lifecycle"
OF_SERVICES = (POLL, SUBSCRIBE, LISTEN)
SUBSCRIPTIONS = "subscriptions"
LIFECYCLE_NODES = ("n8nTrigger", "workflowTrigger")
"""Nodes that the daemon itself starts."""
