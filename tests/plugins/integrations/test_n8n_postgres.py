"""n8n's PostgreSQL database, as an import reads it."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
import pytest

from jackfield.api.errors import InvalidInput
from jackfield_migration.bundle import Bundle
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
INSERT INTO n8n.x_folder VALUES ('F', '2024', 'P'), ('P', 'Sales', null);
"""


@pytest.fixture
def environment(postgres: Mapping[str, str]) -> Mapping[str, str]:
    names = {"host": "HOST", "port": "PORT", "database": "DATABASE", "user": "USER", "password": "PASSWORD"}
    found = {f"DB_POSTGRESDB_{variable}": postgres[name] for name, variable in names.items()}
    return {**found, "DB_POSTGRESDB_SCHEMA": "n8n", "DB_TABLE_PREFIX": "x_"}


def test_everything_of_it(postgres: Mapping[str, str], environment: Mapping[str, str]) -> None:
    with psycopg.connect(
        host=postgres["host"],
        port=int(postgres["port"]),
        dbname=postgres["database"],
        user=postgres["user"],
        password=postgres["password"],
    ) as connection:
        connection.execute(TABLES)
    bundle = Bundle()
    keys = read_postgres(bundle, environment)
    (workflow,), (credential,) = bundle.workflows, bundle.credentials
    assert (workflow.document["name"], workflow.document["active"]) == ("One", True)
    assert (workflow.document["nodes"], credential.document["data"]) == ([{"name": "A"}], "sealed")
    assert ([key.id for key in keys], bundle.left, bundle.unreadable) == (["k"], {}, [])
    assert [tag["name"] for tag in workflow.document["tags"]] == ["folder/Sales/2024"]
    with pytest.raises(InvalidInput, match="no table workflow_entity"):
        read_postgres(Bundle(), {**environment, "DB_TABLE_PREFIX": ""})
    with pytest.raises(InvalidInput) as refused:
        read_postgres(Bundle(), {**environment, "DB_POSTGRESDB_PASSWORD": "another-password"})
    assert "another-password" not in str(refused.value)
