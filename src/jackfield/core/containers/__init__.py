"""Containers of processes: control groups, or a supervisor that adopts orphans, and marks in the environment."""
