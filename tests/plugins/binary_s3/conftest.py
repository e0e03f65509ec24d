from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from bucket_place import MIB, Place

from jackfield.testing.s3 import ACCESS_KEY, SECRET_KEY, S3Server
from jackfield_binary_s3.settings import S3Settings
from jackfield_binary_s3.store import S3BinaryStore


@pytest.fixture(scope="session")
def client(jackfield_s3: S3Server) -> Any:
    return jackfield_s3.client()


@pytest.fixture
def place(jackfield_s3: S3Server, client: Any, tmp_path: Path) -> Place:
    settings = S3Settings(
        bucket=jackfield_s3.new_bucket(),
        prefix="all/files",
        endpoint=jackfield_s3.endpoint,
        access_key_id=ACCESS_KEY,
        secret_access_key=SECRET_KEY,
        part_size=5 * MIB,
        retries=0,
        timeout=5,
    )
    return Place(settings, tmp_path, client)


@pytest.fixture
def store(place: Place) -> S3BinaryStore:
    return place.store()


@pytest.fixture
def unreachable(place: Place) -> Callable[[], S3BinaryStore]:
    return lambda: place.store(endpoint="http://127.0.0.1:1", timeout=0.5)
