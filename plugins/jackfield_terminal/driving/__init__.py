"""Driving an agent: waiting for its screen, and its conversation."""
