"""Workflow documents: changed by single operations, and compared."""
