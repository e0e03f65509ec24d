"""When a screen counts as quiet."""

from __future__ import annotations

QUIET = 1.0
"""Seconds without a change of the screen after which the agent waits for input."""
