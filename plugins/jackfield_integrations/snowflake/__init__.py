"""Snowflake through its SQL API."""
