"""The settings tables: defaults of the contract, and what refuses to start."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from jackfield_auth import AuthPlugin
from jackfield_auth.settings import LONGEST, JwtSettings, seconds

SHORT = "only-31-bytes-0123456789-abcdef"


def test_the_defaults_are_the_contracts() -> None:
    tables = {table.path: table.model().model_dump() for table in AuthPlugin.settings}
    assert tables["security.jwt"] == {
        "enabled": True,
        "algorithm": "HS256",
        "secret": "",
        "previous_secrets": [],
        "expiration": "24h",
    }
    assert tables["security.api_keys"]["enabled"] is True
    assert tables["security.basic_auth"]["enabled"] is False
    assert tables["security.basic_auth"]["remember"] == 60
    assert (tables["security.login"]["failures"], tables["security.login"]["window"]) == (10, 900)


def test_every_key_is_described() -> None:
    for table in AuthPlugin.settings:
        for name, field in table.model.model_fields.items():
            assert field.description, f"{table.path}.{name}"
            assert field.description.endswith("."), f"{table.path}.{name}"


def test_secrets_are_marked_as_secret() -> None:
    for name in ("secret", "previous_secrets"):
        assert JwtSettings.model_fields[name].json_schema_extra == {"secret": True}


@pytest.mark.parametrize(
    "content",
    [
        {"secret": SHORT},
        {"previous_secrets": ["x" * 40, SHORT]},
        {"algorithm": "HS384", "secret": "x" * 47},
        {"algorithm": "HS512", "secret": "x" * 63},
    ],
)
def test_a_short_secret_is_refused_and_not_quoted(content) -> None:
    with pytest.raises(ValidationError, match="bytes") as caught:
        JwtSettings.model_validate(content)
    assert SHORT not in str(caught.value)
    assert "xxx" not in str(caught.value)


def test_a_secret_counts_in_bytes() -> None:
    assert JwtSettings(secret="é" * 16).secret == "é" * 16
    with pytest.raises(ValidationError):
        JwtSettings(secret="é" * 15)


def test_a_secret_is_not_in_the_settings_repr() -> None:
    assert "x" * 40 not in repr(JwtSettings(secret="x" * 40, previous_secrets=["x" * 41]))


@pytest.mark.parametrize("algorithm", ["none", "RS256", "hs256", "", "ES256"])
def test_another_algorithm_is_refused(algorithm) -> None:
    with pytest.raises(ValidationError):
        JwtSettings(algorithm=algorithm)


@pytest.mark.parametrize(("text", "value"), [("1s", 1), ("90s", 90), ("15m", 900), ("24h", 86400), ("366d", LONGEST)])
def test_durations(text, value) -> None:
    assert seconds(text) == value
    assert JwtSettings(expiration=text).lifetime == value


@pytest.mark.parametrize(
    "text", ["", "0s", "24", "h", "-1h", "1.5h", "24H", " 24h", "24h ", "367d", "1w", "9" * 20 + "s", "٣s"]
)
def test_what_is_no_duration(text) -> None:
    with pytest.raises(ValueError, match="duration"):
        seconds(text)
    with pytest.raises(ValidationError):
        JwtSettings(expiration=text)


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_a_value_error(text) -> None:
    try:
        found = seconds(text)
    except ValueError:
        return
    assert 1 <= found <= LONGEST


def test_unknown_keys_are_refused() -> None:
    for table in AuthPlugin.settings:
        with pytest.raises(ValidationError):
            table.model.model_validate({"no_such_key": 1})


def test_starting_imports_nothing_heavy() -> None:
    code = (
        "import sys, jackfield_auth, jackfield_auth.service, jackfield_auth.routes.blueprints;"
        "import jackfield_auth.commands.users;"
        "print([name for name in ('jwt', 'passlib', 'argon2', 'cryptography', 'httpx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
