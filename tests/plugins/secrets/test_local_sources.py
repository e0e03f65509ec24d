"""Files of a directory, and variables of the environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jackfield.api.secret_sources import SecretMissing, SecretRefused, SecretSource, SourceUnavailable
from jackfield.testing.context import FakeContext
from jackfield_secrets.service import SecretSources

Made = Callable[..., SecretSources]


@pytest.fixture
def mount(tmp_path: Path) -> Path:
    """As Kubernetes mounts a secret: names are links into a folder of the moment."""
    root = tmp_path / "mount"
    moment = root / "..2026"
    moment.mkdir(parents=True)
    (moment / "token").write_text("token-of-a-file\n")
    (moment / "db.json").write_text('{"user": "ada", "nested": {"port": 5432, "tls": true}}')
    (root / "..data").symlink_to("..2026")
    for name in ("token", "db.json"):
        (root / name).symlink_to(f"..data/{name}")
    (tmp_path / "outside").write_text("not-for-anybody")
    (root / "leads-out").symlink_to(tmp_path / "outside")
    return root


async def test_files(mount: Path, sources: Made, context: FakeContext) -> None:
    made = sources(files={"kind": "files", "directory": str(mount)})
    values = {
        "text": "={{ $secrets.files.token }}",
        "field": '={{ $secrets.files["db.json"].user }}',
        "number": '={{ $secrets.files["db.json"].nested.port }}',
        "flag": '={{ $secrets.files["db.json"].nested.tls }}',
    }
    found = await made.filled(values, "jackfield")
    assert found == {"text": "token-of-a-file", "field": "ada", "number": "5432", "flag": "true"}
    assert "token-of-a-file" in context.secrets.redacted
    named = made.named("files")
    assert await made.names(named) == [("db.json",), ("leads-out",), ("token",)]
    assert "can be read" in await made.test(named)


@pytest.mark.parametrize(
    "name", ["nothing", "leads-out", "../outside", "..data/../../outside", "..", "/etc/passwd", "a\0b"]
)
async def test_no_name_leads_out_of_the_directory(mount: Path, source: Callable[..., SecretSource], name: str) -> None:
    with pytest.raises(SecretMissing):
        await source(kind="files", directory=str(mount)).read((name,))


async def test_a_directory_that_is_not_there(tmp_path: Path, source: Callable[..., SecretSource]) -> None:
    made = source(kind="files", directory=str(tmp_path / "later"))
    with pytest.raises(SourceUnavailable, match="mount it"):
        await made.test()


async def test_variables(sources: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_SECRET_KEY", "value-of-a-variable")
    monkeypatch.setenv("OTHER_KEY", "other")
    made = sources(env={"kind": "environment", "prefix": "APP_SECRET_"})
    assert await made.filled({"it": "={{ $secrets.env.KEY }}"}, "jackfield") == {"it": "value-of-a-variable"}
    assert await made.names(made.named("env")) == [("KEY",)]
    with pytest.raises(SecretMissing, match="APP_SECRET_OTHER_KEY"):
        await made.filled({"it": "={{ $secrets.env.OTHER_KEY }}"}, "jackfield")


@pytest.mark.parametrize("prefix", ["JACKFIELD_", "JACKFIELD_ENCRYPTION", "jackfield_", "JA"])
def test_the_daemon_s_own_variables_are_no_source(sources: Made, prefix: str) -> None:
    assert "choose another one" in sources(env={"kind": "environment", "prefix": prefix}).named("env").mistake


async def test_a_source_may_be_for_some_projects(mount: Path, sources: Made) -> None:
    made = sources(files={"kind": "files", "directory": str(mount), "projects": ["team-a"]})
    value = {"it": "={{ $secrets.files.token }}"}
    assert await made.filled(value, "team-a") == {"it": "token-of-a-file"}
    with pytest.raises(SecretRefused, match=r"secrets\.sources\.files\.projects"):
        await made.filled(value, "jackfield")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"kind": "azure"}, "there are vault, aws, gcp"),
        ({"kind": "files"}, "secrets.sources.it.directory"),
        ({"kind": "vault", "url": "http://x", "token": "a-token-in-the-open"}, "secrets.sources.it.token"),
        ({"kind": "vault", "url": "http://x"}, "neither a file nor a variable"),
        ({"kind": "vault", "url": "http://x", "auth": "approle"}, "role_id"),
        ({"kind": "vault", "url": "http://x", "auth": "kubernetes"}, "role"),
    ],
)
async def test_settings_that_are_wrong_are_told(sources: Made, table: dict[str, object], told: str) -> None:
    made = sources(it=table)
    assert told in made.named("it").mistake
    assert "a-token-in-the-open" not in made.named("it").mistake
    with pytest.raises(SourceUnavailable, match="cannot be used"):
        await made.test(made.named("it"))


async def test_a_secret_that_is_too_large(mount: Path, sources: Made) -> None:
    (mount / "large").write_text("x" * 300)
    made = sources({"secret_bytes": 256}, files={"kind": "files", "directory": str(mount)})
    with pytest.raises(SecretMissing, match="256 bytes"):
        await made.filled({"it": "={{ $secrets.files.large }}"}, "jackfield")
