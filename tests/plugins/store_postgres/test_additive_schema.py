"""Daemons of the version before go on while a newer one changes the schema under them: every change only adds."""

from __future__ import annotations

import re

import pytest

from jackfield_store_postgres.schema import MIGRATIONS

_ADDED_COLUMN = re.compile(
    r"ALTER TABLE \w+ ADD COLUMN \w+ (?P<rest>[^,]*)$", re.IGNORECASE | re.DOTALL
)  # one a statement
_MADE = re.compile(
    r"CREATE (?:OR REPLACE |UNLOGGED )?(TABLE|FUNCTION|INDEX|UNIQUE INDEX) (\w+)(?: ON (\w+))?", re.IGNORECASE
)
_TRIGGER = re.compile(r"CREATE TRIGGER \w+ AFTER .* FOR EACH STATEMENT EXECUTE FUNCTION (\w+)\(\)$", re.DOTALL)
"""It sees what was done and changes nothing of it, when its function is made with it."""

_TUNED = re.compile(r"ALTER TABLE \w+ SET \([\w\s.=,]+\)$")
"""How the server keeps its rows; nobody who reads or writes them waits for that."""


def narrows(statements: tuple[str, ...]) -> list[str]:
    """Statements by which a program that knows nothing of them might fail."""
    made: set[str] = set()
    found = []
    for statement in statements:
        known = _MADE.match(statement.strip())
        column = _ADDED_COLUMN.match(statement.strip())
        trigger = _TRIGGER.match(statement.strip())
        if known is not None:
            kind, name, table = known.groups()
            made.add(name)
            is_good = kind.upper() != "UNIQUE INDEX" or table in made
        elif column is not None:
            rest = column["rest"].upper()
            is_good = "NOT NULL" not in rest or "DEFAULT" in rest or "GENERATED" in rest
        elif _TUNED.match(statement.strip()):
            is_good = True
        elif trigger is not None:
            is_good = trigger[1] in made
        else:
            is_good = statement.strip().upper().startswith("INSERT INTO")
        if not is_good:
            found.append(statement)
    return found


def test_every_change_of_the_schema_adds() -> None:
    assert [narrows(step) for step in MIGRATIONS[1:]] == [[] for _ in MIGRATIONS[1:]]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE users",
        "ALTER TABLE users DROP COLUMN role",
        "ALTER TABLE users ADD COLUMN age bigint NOT NULL",
        "ALTER TABLE users RENAME COLUMN role TO rank",
        "CREATE UNIQUE INDEX one ON users (role)",
        "UPDATE users SET role = 'x'",
        "ALTER TABLE users SET SCHEMA other",
        "CREATE TRIGGER t AFTER UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION of_others()",
        "CREATE TRIGGER t BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION of_others()",
    ],
)
def test_what_takes_away_is_found(statement: str) -> None:
    assert narrows((statement,)) == [statement]


def test_what_adds_is_not() -> None:
    good = (
        "CREATE TABLE things (id TEXT PRIMARY KEY)",
        "CREATE UNIQUE INDEX one ON things (id)",
        "ALTER TABLE users ADD COLUMN age bigint NOT NULL DEFAULT 0",
        "ALTER TABLE users ADD COLUMN note TEXT",
        "CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER t AFTER UPDATE ON users\n FOR EACH STATEMENT EXECUTE FUNCTION mine()",
        "ALTER TABLE users SET (parallel_workers = 0,\n toast.autovacuum_vacuum_threshold = 500)",
    )
    assert narrows(good) == []
