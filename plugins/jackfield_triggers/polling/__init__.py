"""Polling triggers: when they are due, one poll, and what it leaves in the store."""
