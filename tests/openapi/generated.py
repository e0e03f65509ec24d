"""A client that `openapi-python-client` makes of the daemon's description, and nothing else."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

NAME = "generated_client"
# The generator knows no more of this type than that it is no JSON.
CONFIG = {"content_type_overrides": {"application/x-asciicast": "application/octet-stream"}, "post_hooks": []}


class GeneratedClient:
    """Calls are named by tag and `operationId`, as the generator writes it: `call("users", "list_users")`.

    What an answer says must survive its model: written again it is what the daemon has sent."""

    def __init__(self, directory: Path, description: Path) -> None:
        config = directory / "generator.json"
        config.write_text(json.dumps(CONFIG))
        program = Path(sys.executable).with_name("openapi-python-client")
        made = subprocess.run(
            [
                program,
                "generate",
                "--path",
                description,
                "--output-path",
                directory / NAME,
                "--meta",
                "none",
                "--config",
                config,
                "--fail-on-warning",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        self.module: Any = importlib.import_module(NAME)
        self.models: Any = importlib.import_module(f"{NAME}.models")
        self._connection: Any = None

    def connect(self, base_url: str, token: str = "", **options: Any) -> None:
        given = {"base_url": base_url, "timeout": httpx.Timeout(60), "httpx_args": {"trust_env": False}}
        if token or options:
            self._connection = self.module.AuthenticatedClient(**given, token=token, **options)
        else:
            self._connection = self.module.Client(**given)

    def answer(self, tag: str, name: str, *path: str, **given: Any) -> Any:
        """Status, headers, and `parsed`: the model."""
        module = importlib.import_module(f"{NAME}.api.{tag}.{name}")
        found = module.sync_detailed(*path, client=self._connection, **given)
        if found.content and found.headers["Content-Type"] == "application/json":
            assert found.parsed is not None, f"{name}: the client knows no model for {found.status_code}"
            assert found.parsed.to_dict() == json.loads(found.content), name
        return found

    def call(self, tag: str, name: str, *path: str, status: int = 200, **given: Any) -> Any:
        """The model of the answer, which has this status."""
        found = self.answer(tag, name, *path, **given)
        assert found.status_code == status, f"{name} answered {found.status_code}: {found.content!r}"
        return found.parsed

    def refused(self, tag: str, name: str, *path: str, status: int, code: str, **given: Any) -> Any:
        """The model of the error."""
        error = self.call(tag, name, *path, status=status, **given)
        assert type(error) in (self.models.Error, self.models.DaemonError)
        assert error.code == code, error
        return error

    def model(self, name: str, document: dict[str, Any]) -> Any:
        return getattr(self.models, name).from_dict(document)
