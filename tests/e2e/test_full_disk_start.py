"""A start on a full disk: it is said, reads are served, writes name the disk, and room lets the daemon go on."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from jackfield.core.process.disk_reserve import NAME, DiskReserve

from .conftest import StartDaemon

SIZE = "8m"
FILL = b"x" * 4096


def test_without_a_size_nothing_is_kept(tmp_path: Path) -> None:
    assert not DiskReserve(tmp_path, 4096).prepare()
    assert (tmp_path / NAME).stat().st_size == 4096
    assert not DiskReserve(tmp_path, 0).prepare()
    assert not (tmp_path / NAME).exists()


def fill(file: Path) -> None:
    with file.open("ab", buffering=0) as target:
        try:
            while target.write(FILL):
                pass
        except OSError:
            return


def test_reads_on_a_full_disk(new_daemon: StartDaemon) -> None:
    daemon = new_daemon(start=False)
    config = daemon.config_dir
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", config], check=False)
    if mounted.returncode:
        pytest.skip("mounting a small file system is not permitted here")
    try:
        daemon.start()
        document = {"name": "Kept", "nodes": [], "connections": {}}
        assert daemon.admin().post("/workflows", json=document).status_code == 201
        daemon.stop()
        fill(config / "filler")
        daemon.start(wait=False)
        api = daemon.client(headers={"Authorization": f"Bearer {(config / 'daemon-token').read_text().strip()}"})
        deadline = time.monotonic() + 60
        while True:
            assert daemon.running, daemon.tail()
            try:
                assert api.get("/health").status_code == 200
                break
            except OSError:
                assert time.monotonic() < deadline
            except Exception:
                assert time.monotonic() < deadline
        assert "is full" in daemon.tail()
        fill(config / "filler2")
        admin = daemon.admin()
        found = admin.get("/workflows")
        assert found.status_code == 200
        assert "Kept" in found.text
        for _ in range(200):
            refused = admin.post("/workflows", json={**document, "name": "x" * 100})
            if refused.status_code != 201:
                break
        assert refused.status_code == 503, refused.text
        assert "disk" in refused.json()["message"]
        assert daemon.client().get("/ready").status_code == 503
        (config / "filler").unlink()
        assert admin.post("/workflows", json=document).status_code == 201
    finally:
        daemon.close()
        subprocess.run(["umount", "-l", config], check=True)
