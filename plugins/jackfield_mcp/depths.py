"""How deep workflows and agents may call each other."""

from __future__ import annotations


def too_deep(most: int) -> str:
    """The refusal of a call that would start one more. most: `mcp.offered_depth`."""
    return (
        f"Workflows and agents call each other more than {most} deep (mcp.offered_depth); does one call itself without "
        "an end?"
    )
