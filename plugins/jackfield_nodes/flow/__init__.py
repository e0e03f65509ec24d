"""Nodes that decide where items go and when: branches, loops, waiting, other workflows, answers, starts of runs."""
