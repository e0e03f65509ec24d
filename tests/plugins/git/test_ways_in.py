"""The ways into a repository beside real servers: https with a token (git's own backend behind a server on loopback),
ssh with the daemon's key (sshd), and what a hostile one sends."""

from __future__ import annotations

import base64
import contextlib
import getpass
import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pydantic import ValidationError

from jackfield.api.errors import ConfigurationError, Conflict, InvalidInput, UpstreamFailed
from jackfield.testing.certificates import issued
from jackfield.testing.context import FakeContext
from jackfield.testing.daemon import HOST, free_port, poll
from jackfield_git.program.repository import GitRepository
from jackfield_git.service import SourceControl
from jackfield_git.settings import GitSettings

TOKEN = "token-that-nobody-shows"
FILE = "workflows/0192aaaa-0000-7000-8000-000000000001.json"


def _git(*words: str, given: bytes = b"") -> bytes:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "Eve", f"GIT_{who}_EMAIL": "eve@example.com"}
    return subprocess.run(["git", *words], env=environment, input=given, capture_output=True, check=True).stdout.strip()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    found = tmp_path / "there.git"
    _git("init", "-q", "--bare", "-b", "main", str(found))
    _git("--git-dir", str(found), "config", "http.receivepack", "true")
    return found


def _repository(tmp_path: Path, **settings: object) -> tuple[GitRepository, FakeContext]:
    context = FakeContext(tmp_path / "here")
    context.tables = [GitSettings.model_validate(settings)]
    return GitRepository(context), context


class _Backend(BaseHTTPRequestHandler):
    """`git http-backend` for whoever has the token."""

    root = Path()
    seen: list[str]

    def do_GET(self) -> None:
        pair = base64.b64encode(f"git:{TOKEN}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {pair}":
            self.send_response(403)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(f"You sent {self.headers.get('Authorization')}\n".encode())
            return
        parts = urlsplit(self.path)
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.root), "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command, "PATH_INFO": parts.path, "QUERY_STRING": parts.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "REMOTE_USER": "git",
            "CONTENT_LENGTH": self.headers.get("Content-Length", "0"), "HOME": "/nonexistent",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }  # fmt: skip
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        run = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True, check=True)
        head, _, answer = run.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def server(bare: Path) -> Iterator[str]:
    class Backend(_Backend):
        root = bare.parent

    with ThreadingHTTPServer((HOST, 0), Backend) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield f"http://{HOST}:{httpd.server_port}"
        httpd.shutdown()


async def test_a_token_over_http(tmp_path: Path, server: str, bare: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    made, context = _repository(tmp_path, url=f"{server}/there.git", token_file=str(file))
    assert (await made.fetched()).commit == ""
    first = await made.pushed("", {FILE: b"{}\n"}, "The first")
    assert (await made.fetched()).files == {FILE: b"{}\n"}
    assert _git("--git-dir", str(bare), "rev-parse", "main").decode() == first
    assert TOKEN in context.secrets.redacted
    with pytest.raises(Conflict, match="meanwhile"):
        await made.pushed("", {FILE: b"[]\n"}, "On top of nothing")
    file.write_text("another-token")
    with pytest.raises(UpstreamFailed) as refused:
        await made.fetched()
    assert "You sent Basic ***" in refused.value.message


async def test_a_certificate_of_an_authority_of_one_s_own(tmp_path: Path, bare: Path) -> None:
    authority, certificate, key = issued(tmp_path, "localhost")

    class Backend(_Backend):
        root = bare.parent

        def finish(self) -> None:
            """The end of an answer is the end of its connection, which TLS has to say."""
            super().finish()
            with contextlib.suppress(OSError):
                self.connection.unwrap()  # type: ignore[attr-defined]  # a socket of TLS

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    file = tmp_path / "token"
    file.write_text(TOKEN)
    with ThreadingHTTPServer((HOST, 0), Backend) as httpd:
        httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        settings = {"url": f"https://localhost:{httpd.server_port}/there.git", "token_file": str(file)}
        made, _ = _repository(tmp_path, **settings, ca_file=str(authority))
        assert (await made.fetched()).commit == ""
        await made.pushed("", {FILE: b"{}\n"}, "The first")
        assert (await made.fetched()).files == {FILE: b"{}\n"}
        distrusting, _ = _repository(tmp_path, **settings)
        with pytest.raises(UpstreamFailed, match="certificate"):
            await distrusting.fetched()
        absent, _ = _repository(tmp_path, **settings, ca_file="nothing.pem")
        with pytest.raises(ConfigurationError, match=r"git\.ca_file"):
            await absent.fetched()
        httpd.shutdown()


async def test_a_key_over_ssh(tmp_path: Path, bare: Path) -> None:
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or os.getuid() != 0:
        pytest.skip("sshd is not installed, or only root may start it here")
    Path("/run/sshd").mkdir(exist_ok=True)
    host_key, port = tmp_path / "host", free_port()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(host_key)], check=True)
    known = tmp_path / "known"
    url = f"ssh://{getpass.getuser()}@{HOST}:{port}{bare}"
    made, _ = _repository(tmp_path, url=url, known_hosts_file=str(known))
    allowed = tmp_path / "allowed"
    allowed.write_text(made.entry.public_key() + "\n")
    (tmp_path / "config").write_text(
        f"Port {port}\nListenAddress {HOST}\nHostKey {host_key}\nAuthorizedKeysFile {allowed}\nStrictModes no\n"
        "PidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n"
    )
    output = tmp_path / "sshd.log"
    with subprocess.Popen([program, "-D", "-E", str(output), "-f", str(tmp_path / "config")]) as process:
        try:
            poll(lambda: output.exists() and "listening" in output.read_text(), "sshd listens")
            known.write_text("")
            with pytest.raises(UpstreamFailed, match="Host key verification failed"):
                await made.fetched()
            known.write_text(f"[{HOST}]:{port} {host_key.with_suffix('.pub').read_text()}")
            key, other = allowed.read_text(), host_key.with_suffix(".pub").read_text()
            allowed.write_text(other)
            with pytest.raises(UpstreamFailed, match="Permission denied"):
                await made.fetched()
            allowed.write_text(key)
            await made.pushed((await made.fetched()).commit, {FILE: b"{}\n"}, "The first")
            assert (await made.fetched()).files == {FILE: b"{}\n"}
        finally:
            process.kill()


def test_addresses_that_are_refused() -> None:
    for url in (
        "https://user:secret@git.example/flows.git", "https://token@git.example/flows.git", "ssh://user:secret@git/x",
        "ext::sh -c id", "-oProxyCommand=id", "ssh://-oProxyCommand=id/x", "git@-oProxyCommand=id:x", "git@host:-x",
        "file:flows", "/flows.git", "https://git.example/a b",
    ):  # fmt: skip
        with pytest.raises(ValidationError):
            GitSettings(url=url)
    for url in ("https://git.example/@team/flows.git", "ssh://git@git.example:22/x", "git@git.example:team/flows.git"):
        assert GitSettings(url=url).url == url
    for branch in ("-x", "a..b", "refs:x", "a b", "x/", "+main"):
        with pytest.raises(ValidationError):
            GitSettings(branch=branch)


def _tree(bare: Path, *rows: str) -> bytes:
    return _git("--git-dir", str(bare), "mktree", "--missing", given="".join(f"{row}\n" for row in rows).encode())


def _branch(bare: Path, tree: bytes) -> None:
    commit = _git("--git-dir", str(bare), "commit-tree", tree.decode(), "-m", "Hostile").decode()
    _git("--git-dir", str(bare), "update-ref", "refs/heads/main", commit)


async def test_a_tree_of_trees_is_not_walked(tmp_path: Path, bare: Path) -> None:
    """Ten levels of ten names each are 10^10 paths in a few kilobytes."""
    blob = _git("--git-dir", str(bare), "hash-object", "-w", "--stdin", given=b"{}\n").decode()
    below = _tree(bare, f"100644 blob {blob}\tx.json").decode()
    for _ in range(10):
        below = _tree(bare, *(f"040000 tree {below}\tt{number}" for number in range(10))).decode()
    workflows = _tree(bare, f"100644 blob {blob}\t{FILE.partition('/')[2]}", f"040000 tree {below}\tbomb").decode()
    _branch(bare, _tree(bare, f"040000 tree {workflows}\tworkflows", f"040000 tree {below}\tbomb"))
    made, _ = _repository(tmp_path, url=f"file://{bare}", timeout=20)
    assert (await made.fetched()).files == {FILE: b"{}\n"}


async def test_links_and_submodules_are_refused(tmp_path: Path, bare: Path) -> None:
    made, _ = _repository(tmp_path, url=f"file://{bare}", timeout=20)
    name = FILE.partition("/")[2]
    for row in (f"120000 blob {'0' * 39}1\t{name}", f"160000 commit {'0' * 39}1\t{name}"):
        target = _git("--git-dir", str(bare), "hash-object", "-w", "--stdin", given=b"/etc/passwd").decode()
        workflows = _tree(bare, row.replace("blob " + "0" * 39 + "1", f"blob {target}")).decode()
        _branch(bare, _tree(bare, f"040000 tree {workflows}\tworkflows"))
        with pytest.raises(InvalidInput, match="no plain file"):
            await made.fetched()


async def test_a_fetch_is_bounded(tmp_path: Path, bare: Path) -> None:
    """What does not fit is refused, and leaves nothing on the disk."""
    _git("--git-dir", str(bare), "config", "core.compression", "0")
    blob = _git("--git-dir", str(bare), "hash-object", "-w", "--stdin", given=os.urandom(3_000_000)).decode()
    _branch(bare, _tree(bare, f"100644 blob {blob}\tlarge.bin"))
    made, _ = _repository(tmp_path, url=f"file://{bare}", fetched_bytes=1_048_576)
    with pytest.raises(UpstreamFailed, match=r"git\.fetched_bytes"):
        await made.fetched()
    left = [path for path in (tmp_path / "here").rglob("*") if path.is_file() and path.stat().st_size > 500_000]
    assert left == []


@pytest.mark.parametrize("branch", ["main", "release/2.0"])
async def test_nothing_is_pushed_to_a_protected_branch(tmp_path: Path, bare: Path, branch: str) -> None:
    """Not even by force."""
    context = FakeContext(tmp_path / "here")
    given = {"url": f"file://{bare}", "branch": branch, "protected_branches": ["main", "release/*"]}
    context.tables = [GitSettings.model_validate(given)]
    with pytest.raises(Conflict, match=r"protects the branch .* pull request") as refused:
        await SourceControl(context).push("Anything", [], force=True)
    assert refused.value.code == "PROTECTED_BRANCH"
    assert _git("--git-dir", str(bare), "for-each-ref") == b""
    assert not GitSettings.model_validate({**given, "branch": "development"}).is_protected


@pytest.mark.parametrize("name", ["refs/heads/main", "main ", "release/?", "[main]"])
def test_a_name_that_protects_no_branch_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="leave out refs/heads/"):
        GitSettings.model_validate({"protected_branches": [name]})
