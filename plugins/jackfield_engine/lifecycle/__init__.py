"""All executions in memory: slots, the backlog, waits, recovery, sub-workflows, the end."""
