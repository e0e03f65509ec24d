"""The program `jackfield`: the kernel's commands, and those that plugins add."""
