"""Kinds of registrations, and the name of the fact that lists where subscriptions are kept."""

from __future__ import annotations

POLL, SUBSCRIBE = "poll", "subscribe"
SUBSCRIPTIONS = "subscriptions"
