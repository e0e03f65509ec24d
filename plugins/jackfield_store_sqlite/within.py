"""Lists that are limited to some projects."""

from __future__ import annotations

from functools import partial

from jackfield.api.sql.projects import limited_clause
from jackfield_store_sqlite.dialect import SQL

limited = partial(limited_clause, SQL)
"""See `limited_clause`."""
