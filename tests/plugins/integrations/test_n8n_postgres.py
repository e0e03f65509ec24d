"""n8n's PostgreSQL database, as an import reads it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import psycopg
import pytest

from jackfield.api.errors import InvalidInput
from jackfield_migration.bundle import Bundle
from jackfield_migration.places import folder_of
from jackfield_migration.reading.postgres import read_postgres

TABLES = """
CREATE SCHEMA n8n;
CREATE TABLE n8n.x_workflow_entity (id varchar, name varchar, active boolean, nodes json, connections json,
    settings json, "versionId" varchar, "activeVersionId" varchar, "parentFolderId" varchar, "createdAt" timestamptz);
CREATE TABLE n8n.x_credentials_entity (id varchar, name varchar, type varchar, data text);
CREATE TABLE n8n.x_deployment_key (id varchar, type varchar, value text, algorithm varchar);
CREATE TABLE n8n.x_folder (id varchar, name varchar, "parentFolderId" varchar);
INSERT INTO n8n.x_workflow_entity VALUES ('W1', 'One', true, '[{"name": "A"}]', '{}', '{}', 'v', null, 'F', now());
INSERT INTO n8n.x_credentials_entity VALUES ('C1', 'Cred', 'httpBasicAuth', 'sealed');
INSERT INTO n8n.x_deployment_key VALUES ('k', 'data_encryption', 'value', 'aes-256-gcm');
CREATE TABLE n8n.x_data_table (id varchar, name varchar, "projectId" varchar);
CREATE TABLE n8n.x_data_table_column (id varchar, "dataTableId" varchar, name varchar, type varchar, index int);
CREATE TABLE n8n."x_data_table_user_Table00000000001" (id serial, name text, age double precision, open boolean,
    born timestamptz(3), "createdAt" timestamptz(3) DEFAULT '2025-02-03 04:05:06.789+01',
    "updatedAt" timestamptz(3) DEFAULT '2025-02-03 04:05:06.789+01');
INSERT INTO n8n.x_data_table VALUES ('Table00000000001', 'Moved', 'p'), ('Gone000000000001', 'Gone', 'p');
INSERT INTO n8n.x_data_table_column VALUES ('c2', 'Table00000000001', 'age', 'number', 1),
    ('c1', 'Table00000000001', 'name', 'string', 0), ('c3', 'Table00000000001', 'open', 'boolean', 2),
    ('c4', 'Table00000000001', 'born', 'date', 3);
INSERT INTO n8n."x_data_table_user_Table00000000001" (name, age, open, born)
    SELECT 'name ' || n, n / 2.0, n % 2 = 0, null FROM generate_series(1, 1100) AS n;
INSERT INTO n8n.x_folder VALUES ('F', '2024', 'P'), ('P', 'Sales', null);
"""


@pytest.fixture
def environment(postgres: Mapping[str, str]) -> Mapping[str, str]:
    names = {"host": "HOST", "port": "PORT", "database": "DATABASE", "user": "USER", "password": "PASSWORD"}
    found = {f"DB_POSTGRESDB_{variable}": postgres[name] for name, variable in names.items()}
    return {**found, "DB_POSTGRESDB_SCHEMA": "n8n", "DB_TABLE_PREFIX": "x_"}


@pytest.fixture(scope="module")
def filled(postgres: Mapping[str, str]) -> None:
    with psycopg.connect(
        host=postgres["host"],
        port=int(postgres["port"]),
        dbname=postgres["database"],
        user=postgres["user"],
        password=postgres["password"],
    ) as connection:
        connection.execute(TABLES)


@pytest.mark.usefixtures("filled")
def test_data_tables_with_their_rows(environment: Mapping[str, str]) -> None:
    bundle = Bundle()
    read_postgres(bundle, environment)
    parts = [source.document for source in bundle.data_tables if source.document["id"] == "Table00000000001"]
    assert [(part["part"], part["last"], len(part["rows"])) for part in parts] == [
        (0, False, 500), (1, False, 500), (2, True, 100),
    ]  # fmt: skip
    assert parts[0]["columns"] == [
        {"name": "name", "type": "string"}, {"name": "age", "type": "number"}, {"name": "open", "type": "boolean"},
        {"name": "born", "type": "date"},
    ]  # fmt: skip
    row = dict(parts[0]["rows"][0])
    times = [datetime.fromisoformat(row.pop(name)) for name in ("createdAt", "updatedAt")]
    assert row == {"id": 1, "name": "name 1", "age": 0.5, "open": False, "born": None}
    assert times == [datetime(2025, 2, 3, 3, 5, 6, 789000, UTC)] * 2
    (gone,) = [source.document for source in bundle.data_tables if source.document["id"] == "Gone000000000001"]
    assert (gone["rows"], gone["columns"], gone["last"]) == ([], [], True)


@pytest.mark.usefixtures("filled")
def test_everything_else_of_it(environment: Mapping[str, str]) -> None:
    bundle = Bundle()
    keys = read_postgres(bundle, environment)
    (workflow,), (credential,) = bundle.workflows, bundle.credentials
    assert (workflow.document["name"], workflow.document["active"]) == ("One", True)
    assert (workflow.document["nodes"], credential.document["data"]) == ([{"name": "A"}], "sealed")
    assert ([key.id for key in keys], bundle.left, bundle.unreadable) == (["k"], {}, [])
    assert folder_of(workflow.document) == ("Sales", "2024")
    with pytest.raises(InvalidInput, match="no table workflow_entity"):
        read_postgres(Bundle(), {**environment, "DB_TABLE_PREFIX": ""})
    with pytest.raises(InvalidInput) as refused:
        read_postgres(Bundle(), {**environment, "DB_POSTGRESDB_PASSWORD": "another-password"})
    assert "another-password" not in str(refused.value)
