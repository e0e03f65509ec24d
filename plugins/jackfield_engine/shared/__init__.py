"""The common part of all executions: settings, timers, files of items, memory across executions, stored forms."""
