"""Jackfield: webhooks, workflows and coding agents in one self-hosted daemon."""
