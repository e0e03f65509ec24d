"""This daemon among those that share its store."""
