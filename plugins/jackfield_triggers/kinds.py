"""Kinds of registrations, and the name of the fact that lists where subscriptions are kept."""

from __future__ import annotations

POLL, SUBSCRIBE, LIFECYCLE = "poll", "subscribe", "lifecycle"
SUBSCRIPTIONS = "subscriptions"
LIFECYCLE_NODES = ("n8nTrigger", "workflowTrigger")
"""Nodes that the daemon itself starts."""
