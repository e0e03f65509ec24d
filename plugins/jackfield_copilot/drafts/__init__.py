"""Drafts: kept, changed, accepted, rejected, run."""
