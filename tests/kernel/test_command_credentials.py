"""Keys that `jackfield login` keeps: which command finds which."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.command_credentials import (
    CommandCredential,
    command_credential,
    damaged_credentials,
    forget_credential,
    keep_credential,
)
from jackfield.api.daemon import DaemonClient
from jackfield.api.errors import ConfigurationError

ADDRESS = "https://jackfield.example"
KEPT = CommandCredential(ADDRESS, "ada", "jf_sk_x", "k1", "")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JACKFIELD_API_KEY", "JACKFIELD_DAEMON_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


def test_a_key_is_for_the_daemon_that_gave_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_credential(tmp_path, KEPT)
    assert DaemonClient(tmp_path, f"{ADDRESS}/").headers() == {"X-API-Key": "jf_sk_x"}
    assert DaemonClient(tmp_path, "https://other.example").headers() == {}
    (tmp_path / "daemon-endpoint").write_text(f"{ADDRESS}\n")
    assert DaemonClient(tmp_path).headers() == {}, "the directory's own daemon knows its user"
    monkeypatch.setenv("JACKFIELD_API_KEY", "jf_sk_other")
    assert DaemonClient(tmp_path, ADDRESS).headers() == {"X-API-Key": "jf_sk_other"}
    forget_credential(tmp_path, ADDRESS)
    assert command_credential(tmp_path, ADDRESS) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"address": 1}'])
def test_a_damaged_file_is_named_with_a_remedy(tmp_path: Path, content: bytes) -> None:
    keep_credential(tmp_path, KEPT)
    assert damaged_credentials(tmp_path) == []
    (file,) = (tmp_path / "daemon-logins").iterdir()
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"damaged.*jackfield login"):
        command_credential(tmp_path, ADDRESS)
    assert damaged_credentials(tmp_path) == [file]
