"""What all executions share: settings, timers, files of items, memory across executions, stored forms."""
