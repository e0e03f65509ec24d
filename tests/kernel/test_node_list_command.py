"""`jackfield plugins nodes`, and what is said of libraries that are not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackfield.api.errors import NotFound
from jackfield.api.nodes.libraries import lacking_library
from jackfield.cli.main import jackfield
from jackfield.cli.runtime import Runtime


def told(tmp_path: Path, *arguments: str) -> str:
    done = CliRunner().invoke(
        jackfield, ["plugins", *arguments, "--config-dir", str(tmp_path)], obj=Runtime(), catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_can_run_is_listed_and_the_rest_where_it_is_asked_for(tmp_path: Path) -> None:
    runs = {one["kind"]: one for one in json.loads(told(tmp_path, "nodes", "--json"))}
    every = {one["kind"]: one for one in json.loads(told(tmp_path, "nodes", "--unavailable", "--json"))}
    assert {"set", "webhook", "langchain.agent"} <= runs.keys() < every.keys()
    assert all(one["available"] and not one["missing"] for one in runs.values())
    others = [one for kind, one in every.items() if kind not in runs]
    assert others
    assert all(one["missing"] and not one["available"] for one in others)
    lines = told(tmp_path, "nodes", "--unavailable").splitlines()
    assert lines[0].split()[:3] == ["KIND", "NAME", "GROUP"]
    (line,) = [line for line in lines if line.startswith(f"{others[0]['kind']} ")]
    assert f"Cannot run: {others[0]['missing']}" in line


def test_a_kind_that_cannot_run_is_not_suggested(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        told(tmp_path, "form", "langchain.memoryZepp")
    assert "memoryZep " not in str(caught.value).replace("?", " ")
    assert told(tmp_path, "form", "langchain.memoryZep")


def test_a_library_that_is_not_installed_is_named_with_its_extra() -> None:
    assert lacking_library("json", "fast") == ""
    told = "This node needs the package there_is_none; install jackfield[odd]."
    assert lacking_library("there_is_none", "odd") == told


def test_a_node_whose_library_is_missing_says_so_before_it_runs() -> None:
    hidden = ("psycopg", "aiomysql", "redis", "asyncssh", "aioftp", "pymongo")
    script = (
        "import importlib.util as util\n"
        "real = util.find_spec\n"
        f"util.find_spec = lambda name, package=None: None if name in {hidden} else real(name, package)\n"
        "from jackfield_integrations.sql.mysql_node import MySqlNode\n"
        "from jackfield_integrations.remote.ftp_node import FtpNode\n"
        "from jackfield_ai.memory.mongo import MongoMemoryNode\n"
        "from jackfield_ai.retrieval.stores.pgvector import FORM\n"
        "for one in (MySqlNode.description, FtpNode.description, MongoMemoryNode.description, FORM):\n"
        "    print(one.missing)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    extras = [line.rpartition("[")[2] for line in run.stdout.splitlines()]
    assert extras == ["mysql].", "ssh].", "mongodb].", "postgres]."]
