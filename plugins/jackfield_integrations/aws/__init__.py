"""Nodes of AWS and of servers with its protocols."""
