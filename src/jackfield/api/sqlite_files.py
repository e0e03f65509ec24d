"""A database of a plugin's own in SQLite: its tables, and the mark by which it knows its file again."""

from __future__ import annotations

import sqlite3


def make_tables(connection: sqlite3.Connection, tables: str, application: int, version: int) -> None:
    """Make the tables in a file that has none, all or nothing, also when several processes begin at once.

    Args:
        connection: In autocommit mode.
        tables: Statements with semicolons between them.
        application: SQLite's `application_id` of the plugin's files.
        version: SQLite's `user_version` of these tables.

    Raises:
        sqlite3.Error: The file is no database, or does not answer.
    """
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
        for statement in tables.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")
