"""Identifiers: their form, and that none comes twice, from threads or from a forked process."""

from __future__ import annotations

import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from jackfield.api.ids import POOLED, is_uuid, new_id


def test_an_id_is_a_uuid_of_version_7_with_the_present_time() -> None:
    before = time.time_ns() // 1_000_000
    found = uuid.UUID(new_id())
    after = time.time_ns() // 1_000_000
    assert (found.version, found.variant) == (7, uuid.RFC_4122)
    assert before <= found.int >> 80 <= after


def test_ids_of_several_threads_differ() -> None:
    count = 20 * POOLED
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda _: new_id(), range(count)))
    assert len({text[-12:] for text in ids}) == count, "the random part alone tells them apart"


def test_a_forked_process_makes_other_ids() -> None:
    new_id()  # so that the pool is filled
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, new_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert new_id()[-12:] != os.read(reader, 64).decode()[-12:]
    os.close(reader)
    os.close(writer)


def test_what_is_a_uuid() -> None:
    assert is_uuid(new_id())
    assert not is_uuid("not one")
