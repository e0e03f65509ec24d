"""Tools by what they are about."""
