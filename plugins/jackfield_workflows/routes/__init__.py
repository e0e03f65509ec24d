"""Routes of workflows, executions, node types and previews, with the forms of their bodies."""
