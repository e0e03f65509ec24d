"""`jackfield user`: add, list, passwd, role, delete."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.object_references import load
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_auth import AuthPlugin
from jackfield_auth.commands.users import read_password, user
from jackfield_auth.service import AuthService
from jackfield_auth.settings import PasswordSettings

PASSWORD = "a-long-enough-password"


class FakeCli:
    """As the kernel's: an error is one line and exit code 1."""

    def __init__(self, directory: Path) -> None:
        self.store = MemoryStore()
        self.given: Path | None = None
        self._directory = directory

    def config_dir(self, given: Path | None) -> Path:
        return given or self._directory

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[str]], *, config_dir: Path | None) -> str:
        assert plugin == "auth"
        self.given = config_dir
        cheap = PasswordSettings(memory=8192, iterations=1, lanes=1)
        context = FakeContext(self._directory, tables=[cheap], ports={"Store": self.store})

        async def worked() -> str:
            try:
                context.ports["UserDirectory"] = context.port(AuthService).accounts
                return await work(context)
            finally:
                context.port(AuthService).passwords.close()

        try:
            return asyncio.run(worked())
        except JackfieldError as exc:
            raise click.ClickException(exc.message) from None


@pytest.fixture
def cli(tmp_path):
    return FakeCli(tmp_path)


@pytest.fixture
def run(cli):
    def invoke(*arguments: str, stdin: str | None = None) -> Result:
        done = CliRunner().invoke(user, arguments, obj=cli, input=stdin)
        assert PASSWORD not in done.output
        return done

    return invoke


def users(cli: FakeCli) -> dict[str, str]:
    return {found.username: found.role for found in asyncio.run(cli.store.users())}


def test_the_commands_are_given_to_the_kernel() -> None:
    assert [load(place).name for place in AuthPlugin.commands] == [  # type: ignore[attr-defined]
        "user",
        "api-key",
        "open",
        "sessions",
        "invitations",
        "login",
        "logout",
    ]
    assert set(user.commands) == {"add", "list", "passwd", "role", "disable", "enable", "delete"}


def test_add_reads_the_first_line(cli, run, tmp_path) -> None:
    done = run("add", "ada", "--role", "admin", "--config-dir", str(tmp_path), stdin=f"{PASSWORD}\n{PASSWORD}\n")
    assert done.exit_code == 0, done.output
    assert "ada" in done.output
    assert users(cli) == {"ada": "admin"}
    assert cli.given == tmp_path
    found = asyncio.run(cli.store.user_by_name("ada"))
    assert found.password_hash.startswith("$argon2id$")


@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (("add", "eve", "--role", "viewer"), "elevenchars\n", "12 characters"),
        (("add", "eve", "--role", "viewer"), "", "12 characters"),
        (("add", "eve", "--role", "viewer"), "x" * 100_000, "1024 bytes"),
        (("add", "eve", "--role", "root"), f"{PASSWORD}\n", "root"),
        (("add", "eve"), f"{PASSWORD}\n", "--role"),
        (("add", "e:ve", "--role", "viewer"), f"{PASSWORD}\n", "colon"),
        (("add", "ada", "--role", "viewer"), f"{PASSWORD}\n", ""),
        (("role", "ada", "root"), None, "root"),
        (("role", "nobody", "viewer"), None, "no user"),
        (("role", "ada", "viewer"), None, "last administrator"),
        (("delete", "ada"), None, "last administrator"),
        (("delete", "nobody"), None, "no user"),
        (("passwd", "nobody"), f"{PASSWORD}\n", "no user"),
        (("passwd", "ada"), "short\n", "12 characters"),
    ],
)
def test_what_cannot_be_done_is_said(cli, run, arguments, stdin, says) -> None:
    run("add", "ada", "--role", "admin", stdin=f"{PASSWORD}\n")
    done = run(*arguments, stdin=stdin)
    assert done.exit_code != 0
    assert says in done.output
    assert not isinstance(done.exception, Exception) or isinstance(done.exception, SystemExit)
    assert users(cli) == {"ada": "admin"}


def test_list_role_passwd_delete(cli, run) -> None:
    assert run("list").output == "There is no user.\n"
    run("add", "ada", "--role", "admin", stdin=f"{PASSWORD}\n")
    run("add", "eve", "--role", "viewer", stdin=f"{PASSWORD}\n")
    before = asyncio.run(cli.store.user_by_name("eve"))
    assert run("role", "eve", "member").exit_code == 0
    assert run("passwd", "eve", stdin="another-long-password\n").exit_code == 0
    after = asyncio.run(cli.store.user_by_name("eve"))
    assert (after.role, after.version) == ("member", before.version + 2)
    assert after.password_hash != before.password_hash
    assert [line.split("\t")[:2] for line in run("list").output.splitlines()] == [["ada", "admin"], ["eve", "member"]]
    assert run("delete", "eve").exit_code == 0
    assert users(cli) == {"ada": "admin"}


def test_on_a_terminal_the_password_is_asked_for_twice_and_not_shown(monkeypatch) -> None:
    asked: list[dict[str, object]] = []

    def prompt(text: str, **options: object) -> str:
        asked.append(options)
        return PASSWORD

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(click, "prompt", prompt)
    assert read_password() == PASSWORD
    assert asked == [{"hide_input": True, "confirmation_prompt": True, "err": True}]


def test_a_user_is_disabled_and_enabled(run, cli) -> None:
    run("add", "root", "--role", "admin", stdin=f"{PASSWORD}\n")
    run("add", "ada", "--role", "viewer", stdin=f"{PASSWORD}\n")
    assert run("disable", "ada").output == "User ada is disabled.\n"
    assert run("list").output.splitlines()[0].endswith("\tdisabled")
    assert run("enable", "ada").output == "User ada is enabled.\n"
    assert "disabled" not in run("list").output
    refused = run("disable", "root")
    assert refused.exit_code == 1
    assert "last administrator" in refused.output
    assert run("disable", "nobody").exit_code == 1
