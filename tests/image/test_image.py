"""The image of `deploy/Dockerfile` as its users run it. `tox run -e image`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.certificates import issued
from jackfield.testing.daemon import CHEAP_PASSWORDS, HOST, PASSWORD, USERNAME, free_port, poll
from jackfield.testing.documents import chain, node
from jackfield.testing.postgres import postgres_server

from .container import BUILT, USER, Image, buildah, built, lacking, mounted, pulled, unreachable

LARGEST_PULLED = 105_000_000
"""Bytes that a registry sends, the base's among them."""
LARGEST_UNPACKED = 250_000_000
"""Bytes of all files of the image, what is left of its base among them."""
READY_TIMEOUT = 60
LACKING = lacking()
pytestmark = [
    pytest.mark.skipif(not os.environ.get("JACKFIELD_TEST_IMAGES"), reason="tox run -e image"),
    pytest.mark.skipif(bool(LACKING), reason=LACKING),
]


class ContainedDaemon:
    """`serve` in the image, over a volume of its user's."""

    def __init__(self, image: Image, place: Path, **given: str) -> None:
        self.image = image
        self.volume = volume_of(place)
        self.output = place / "output.log"
        self.port = free_port()
        self.given = {
            **CHEAP_PASSWORDS,
            "JACKFIELD_SERVER_PORT": str(self.port),
            "JACKFIELD_ADMIN_USERNAME": USERNAME,
            "JACKFIELD_ADMIN_PASSWORD": PASSWORD,
            **given,
        }
        with self.output.open("wb") as output:
            self.process = image.process(image.command(), self.volume, self.given, output)

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=f"http://{HOST}:{self.port}", trust_env=False, timeout=20)

    def run(self, document: Mapping[str, object]) -> dict[str, Any]:
        """The finished execution of a workflow that is not saved."""
        with self.client() as client:
            answer = client.post("/api/v1/auth/login", json={"username": USERNAME, "password": PASSWORD})
            assert answer.status_code == httpx.codes.OK, answer.text
            bearer = {"Authorization": f"Bearer {answer.json()['token']}"}
            done = client.post("/api/v1/workflows/run", json={"workflow": document}, headers=bearer)
        assert done.status_code == httpx.codes.OK, done.text
        found: dict[str, Any] = done.json()
        return found

    def is_ready(self) -> bool:
        assert self.process.is_running(), self.output.read_text()
        try:
            with self.client() as client:
                return client.get("/ready").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def asked(self, command: list[str], place: Path) -> int:
        """The exit code of another command in the same image, over the same volume."""
        with (place / "asked.log").open("wb") as output:
            process = self.image.process(command, self.volume, {"JACKFIELD_SERVER_PORT": str(self.port)}, output)
        return process.ended(30)


def volume_of(place: Path) -> Path:
    """A directory with the owner and the mode that the image gives a new volume."""
    volume = place / "volume"
    volume.mkdir(mode=0o700, exist_ok=True)
    os.chown(volume, USER, USER)
    return volume


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    missing = [] if BUILT else unreachable()
    if missing:
        pytest.skip(f"not here and not to be pulled: {', '.join(missing)}")
    with mounted(built()) as found:
        yield found


@pytest.fixture(scope="module")
def daemon(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContainedDaemon]:
    started = ContainedDaemon(image, tmp_path_factory.mktemp("image"))
    try:
        poll(started.is_ready, "the daemon of the image is ready", timeout=READY_TIMEOUT)
        yield started
    finally:
        started.process.kill()


def test_it_is_small(image: Image, tmp_path: Path) -> None:
    unpacked, own, sent = image.size(), image.size("opt/jackfield"), pulled(image.name, tmp_path / "pulled")
    print(f"\npulled: {sent / 1e6:.0f} MB; unpacked: {unpacked / 1e6:.0f} MB, /opt/jackfield: {own / 1e6:.0f} MB")
    assert sent < LARGEST_PULLED
    assert unpacked < LARGEST_UNPACKED


def test_it_has_no_installer_of_its_own_no_symbols_and_each_module_compiled_once(image: Image) -> None:
    packages = image.root / "opt/jackfield/lib/python3.13/site-packages"
    assert not list(packages.glob("pip*"))
    assert not list(packages.glob("pygments*"))
    assert not [path for path in packages.rglob("*.so") if b".debug_info\0" in path.read_bytes()]
    sources = list((packages / "jackfield").rglob("*.py"))
    assert len(list((packages / "jackfield").rglob("*.pyc"))) == len(sources)
    assert not (image.root / "tmp/compiled").exists()
    assert not (image.root / "source").exists()


def test_psycopg_has_the_openssl_that_python_has(image: Image) -> None:
    bundled = image.root / "opt/jackfield/lib/python3.13/site-packages/psycopg_binary.libs"
    links = [path for path in bundled.iterdir() if path.name.startswith(("libssl-", "libcrypto-"))]
    assert len(links) == 2
    for link in links:
        name = link.name.partition("-")[0]
        assert link.readlink().match(f"/usr/lib/*/{name}.so.3")
        assert (image.root / link.readlink().relative_to("/")).is_file()


def test_it_is_one_layer_without_parts_of_its_base_that_nobody_needs(image: Image) -> None:
    described = json.loads(buildah("inspect", "--type", "image", image.name))
    assert len(described["OCIv1"]["rootfs"]["diff_ids"]) == 1
    library = image.root / "usr/local/lib/python3.13"
    gone = ("site-packages/pip", "idlelib", "tkinter", "pydoc_data")
    assert not [name for name in gone if (library / name).exists()]
    assert not (image.root / "usr/local/include").exists()
    assert not list((image.root / "opt/jackfield/lib/python3.13/site-packages/icalendar").rglob("tests"))


def test_an_image_made_from_it_gets_an_installer_by_ensurepip(image: Image, tmp_path: Path) -> None:
    """The installer goes to a folder here: the root cannot be written to."""
    volume = volume_of(tmp_path)
    output = tmp_path / "ensurepip.log"
    with output.open("wb") as file:
        place = image.settings["WorkingDir"]
        command = ["python", "-m", "ensurepip", "--root", f"{place}/root"]
        assert image.process(command, volume, {}, file).ended(60) == 0, output.read_text()
    assert list((volume / "root").rglob("site-packages/pip/__main__.py"))


def test_its_volume_is_its_users_alone(image: Image) -> None:
    (place,) = image.settings["Volumes"]
    about = (image.root / place.lstrip("/")).stat()
    assert (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) == (USER, USER, 0o700)
    assert image.settings["User"] == f"{USER}:{USER}"


def test_it_serves_without_rights_over_a_root_that_cannot_be_written_to(daemon: ContainedDaemon) -> None:
    status = daemon.process.status()
    assert status["Uid"].split() == [str(USER)] * 4
    assert (int(status["CapEff"], 16), int(status["CapBnd"], 16), status["NoNewPrivs"]) == (0, 0, "1")
    with daemon.client() as client:
        page = client.get("/ui/", follow_redirects=True)
        assert page.status_code == httpx.codes.OK
        assert "<script" in page.text
        answer = client.post("/api/v1/auth/login", json={"username": USERNAME, "password": PASSWORD})
        assert answer.status_code == httpx.codes.OK, answer.text
    for path in daemon.volume.rglob("*"):
        about = path.lstat()
        assert about.st_uid == USER
        assert not about.st_mode & 0o077, path


def test_its_health_check_follows_the_daemons_port(image: Image, daemon: ContainedDaemon, tmp_path: Path) -> None:
    assert daemon.asked(image.health_check(), tmp_path) == 0
    with (tmp_path / "closed.log").open("wb") as output:
        closed = {"JACKFIELD_SERVER_PORT": str(free_port())}
        assert image.process(image.health_check(), daemon.volume, closed, output).ended(30) != 0


def test_it_takes_secrets_from_files(image: Image, tmp_path: Path) -> None:
    """The master key and settings that are secrets, in files that it may only read."""
    output = tmp_path / "config.log"
    volume = volume_of(tmp_path)
    (volume / "keys").mkdir(mode=0o700)
    written = {
        "keys/encryption.key": f"{b64encode(bytes(range(32))).decode()}\n",
        "config.toml": '[security.jwt]\nsecret = "a-signing-key-of-more-than-thirty-two-bytes"\n',
    }
    for name, text in written.items():
        (volume / name).write_text(text)
        (volume / name).chmod(0o400)
    for path in (volume / "keys", *(volume / name for name in written)):
        os.chown(path, USER, USER)
    with output.open("wb") as file:
        assert image.process(["jackfield", "doctor"], volume, {}, file).ended(60) == 0, output.read_text()
    assert "a-signing-key" not in output.read_text()


def test_it_runs_scripts_and_keeps_executions_in_postgresql_over_tls(image: Image, tmp_path: Path) -> None:
    """libpq is psycopg's, and its OpenSSL is the base's."""
    script = chain(
        "Scripts",
        node("Start", "manualTrigger"),
        node("Rhai", "code", {"language": "rhai", "rhaiCode": "[#{ json: #{ total: 40 + 2 } }]"}),
        node("JavaScript", "code", {"jsCode": "return [{ json: { half: $input.first().json.total / 2 } }];"}),
    )
    authority, certificate, key = issued(tmp_path, "db.example")
    copied = Path(shutil.copy(authority, volume_of(tmp_path)))
    os.chown(copied, USER, USER)
    with postgres_server() as server:
        server.present(certificate, key)
        server.switch_tls("on")
        checked = f"hostaddr={HOST}&sslmode=verify-full&sslrootcert={image.settings['WorkingDir']}/{copied.name}"
        address = server.dsn().replace(f"@{HOST}", "@db.example")
        given = {"STORE_NAME": "postgres", "STORE_POSTGRES_DSN": f"{address}?{checked}"}
        started = ContainedDaemon(image, tmp_path, **{f"JACKFIELD_{name}": value for name, value in given.items()})
        try:
            poll(started.is_ready, "the daemon of the image is ready", timeout=READY_TIMEOUT)
            assert started.run(script)["data"][0]["json"] == {"half": 21}
            assert server.run("SELECT bool_and(ssl) FROM pg_stat_ssl WHERE pid <> pg_backend_pid()") == [(True,)]
            assert server.run("SELECT count(*) FROM jackfield.executions") == [(1,)]
        finally:
            started.process.kill()


def test_sigterm_ends_it_in_order(image: Image, tmp_path: Path) -> None:
    started = ContainedDaemon(image, tmp_path)
    try:
        poll(started.is_ready, "the daemon of the image is ready", timeout=READY_TIMEOUT)
        os.kill(started.process.pid, getattr(signal, image.settings["StopSignal"]))
        assert started.process.ended(40) == 0
    finally:
        started.process.kill()


def test_without_a_user_it_is_not_open_to_others(image: Image, tmp_path: Path) -> None:
    started = ContainedDaemon(image, tmp_path, JACKFIELD_ADMIN_USERNAME="", JACKFIELD_ADMIN_PASSWORD="")
    assert started.process.ended(60) != 0
    assert "user" in started.output.read_text()
