"""A real server of S3's protocol in a test: its own process and port. For tests of plugins too.

It is moto's (packages `moto[s3]`, `flask`, `flask-cors`), which keeps everything in memory, or MinIO, whose
program `JACKFIELD_TEST_MINIO` names.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from .daemon import HOST, free_port, poll

VARIABLE = "JACKFIELD_TEST_MINIO"
ACCESS_KEY = "tester-access-key"
SECRET_KEY = "tester-Secret/key+of-a-server-that-lives-as-long-as-a-test"  # noqa: S105
REGION = "us-east-1"


class NoS3(Exception):
    """No server's program is installed."""


class S3Server:
    """One server on loopback. Its contents go with it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._names = itertools.count()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> S3Server:
        """Returns when it answers. Raises `NoS3`."""
        keys = {"MINIO_ROOT_USER": ACCESS_KEY, "MINIO_ROOT_PASSWORD": SECRET_KEY}
        self._process = subprocess.Popen(  # noqa: S603 - the server under test
            self._command(),
            env={**os.environ, **keys},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        poll(self._answers, "the S3 server answers", timeout=60)
        return self

    def _command(self) -> list[str]:
        address = f"{HOST}:{self.port}"
        if program := os.environ.get(VARIABLE):
            return [program, "server", "--quiet", "--address", address, str(self._directory)]
        if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask_cors") is None:
            raise NoS3("moto is not installed; pip install 'moto[s3]' flask flask-cors")
        return [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(self.port)]

    def _answers(self) -> bool:
        connection = HTTPConnection(HOST, self.port, timeout=2)
        with contextlib.closing(connection), contextlib.suppress(OSError):
            connection.request("GET", "/minio/health/live")
            return connection.getresponse().status > 0
        return False

    def client(self) -> Any:  # boto3 makes its classes as it runs
        """Of boto3, which a test looks into the buckets with."""
        import boto3  # heavy

        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )

    def new_bucket(self) -> str:
        """A fresh one; its name."""
        name = f"bucket-{next(self._names)}"
        self.client().create_bucket(Bucket=name)
        return name

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """A running one, which goes with everything that it has. Raises `NoS3`."""
    with tempfile.TemporaryDirectory(prefix="jackfield-s3-") as name:
        server = S3Server(Path(name))
        try:
            yield server.start()
        finally:
            server.kill()
