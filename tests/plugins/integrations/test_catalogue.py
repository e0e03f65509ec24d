"""What every node of the plugin promises, and how little it costs to have them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from integration_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Node
from jackfield_integrations.catalogue import MODULES
from jackfield_integrations.kinds import KINDS
from jackfield_integrations.secret_values import DriverCredential


@pytest.mark.parametrize("kind", MODULES)
def test_every_version_has_a_form(tmp_path: Path, kind: str) -> None:
    node = Bench(tmp_path).types[kind]
    for version in (*node.versions, None):
        model = node.parameters(version)
        assert model.model_json_schema()["properties"]
        kept = model.model_validate({"notKnown": {"a": 1}})
        assert kept.model_extra == {"notKnown": {"a": 1}}
    assert node.outputs(Node("n", "N", kind, kind, 1, {})) == 1
    assert node.description.summary


def test_nothing_heavy_is_loaded_before_it_is_needed() -> None:
    script = (
        "import sys, jackfield_integrations, jackfield_integrations.catalogue as c\n"
        "offers = c.node_types(None)\n"
        "assert not [n for n in sys.modules if n.startswith('jackfield_integrations.') and n.count('.') > 1], 1\n"
        "from jackfield.testing.context import made\n"
        "[n.description for n in made(offers)]\n"
        "heavy = {'psycopg', 'aiomysql', 'redis', 'asyncssh', 'aioftp', 'feedparser', 'aiosmtplib'}\n"
        "heavy |= {'pymongo', 'ldap3', 'jwt'}\n"
        "print(*heavy & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_secrets_are_marked() -> None:
    secret = {(kind.name, field.name) for kind in KINDS for field in kind.fields if field.secret}
    assert {kind for kind, name in secret if name == "password"} == {kind.name for kind in KINDS} - {
        "sshPrivateKey",
        "ldap",
        "s3",
        "aws",
        "snowflakeOAuth2Api",
    }
    assert {("sshPrivateKey", "privateKey"), ("sftp", "passphrase")} <= secret
    assert {("ldap", "bindPassword"), ("elasticsearchApi", "password"), ("mongoDb", "connectionString")} <= secret
    assert {("s3", "secretAccessKey"), ("aws", "secretAccessKey"), ("aws", "sessionToken")} <= secret
    assert {("snowflake", "privateKey"), ("snowflakeOAuth2Api", "clientSecret")} <= secret


def test_messages_hide_secrets_and_stay_on_one_line() -> None:
    values = DriverCredential(KINDS[0], {"host": "mail.example.com", "password": "hunter22", "unknown": "also-secret"})
    shown = values.shown("mail.example.com: hunter22\r\nalso-secret" + "x" * 1000)
    assert shown.startswith("mail.example.com: *** ***xxx")
    assert len(shown) == 500


def test_credentials_are_checked() -> None:
    for name, value, said in (("host", " ", "has no host"), ("port", "x", "whole number"), ("port", "0", "65535")):
        values = DriverCredential(KINDS[0], {name: value})
        with pytest.raises(NodeError, match=said):
            values.needed(name) if name == "host" else values.port(1)
