"""Units of the plugin, with the fixtures that Jackfield brings for pytest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jackfield.api.errors import UpstreamFailed
from jackfield.api.logins import Identity, LoginRefused, PasswordLogin
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_directory_login.hashing import fits, hashed
from jackfield_directory_login.login import logins
from jackfield_directory_login.settings import DirectoryLoginSettings

PASSWORD = "of the directory"


@pytest.fixture
def login(jackfield_context: MakeContext, tmp_path: Path) -> PasswordLogin:
    """Over a directory with Ada of the staff, and Eve of no group."""
    people = [
        {"uid": "Ada", "entryUUID": "u-1", "cn": "Ada L.", "memberOf": ["staff"], "userPassword": hashed(PASSWORD)},
        {"uid": "eve", "entryUUID": "u-2", "cn": "Eve", "memberOf": [], "userPassword": hashed(PASSWORD)},
    ]
    (tmp_path / "people.json").write_text(json.dumps(people))
    return logins(jackfield_context(DirectoryLoginSettings(member_groups=["staff"])))[0]


@pytest.mark.parametrize("name", ["Ada", "ada", " ADA "])
async def test_a_name_is_found_without_case(login: PasswordLogin, name: str) -> None:
    assert await login.verify(name, PASSWORD) == Identity("u-1", "Ada L.", "member")


@pytest.mark.parametrize(("name", "password"), [("ada", "wrong"), ("nobody", PASSWORD), ("nobody", "")])
async def test_a_wrong_pair_is_none(login: PasswordLogin, name: str, password: str) -> None:
    assert await login.verify(name, password) is None


async def test_who_is_in_no_group_is_refused(login: PasswordLogin) -> None:
    with pytest.raises(LoginRefused, match="no group"):
        await login.verify("eve", PASSWORD)


async def test_a_directory_that_cannot_be_read_lets_nobody_in(login: PasswordLogin, tmp_path: Path) -> None:
    (tmp_path / "people.json").write_text("[")
    with pytest.raises(UpstreamFailed):
        await login.verify("ada", PASSWORD)


@pytest.mark.parametrize("stored", ["", "plain", "{SCRYPT}", "{SCRYPT}a$b", "{SCRYPT}$"])
def test_a_damaged_hash_fits_nothing(stored: str) -> None:
    assert not fits("", stored)
    assert not fits(stored, stored)
