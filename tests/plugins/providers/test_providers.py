"""Providers: what manifests say, the routes, the doctor, the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import ValidationError
from quart import Quart, Response

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield.api.providers import Provider, Providers
from jackfield.core.manifests import KindLibrary
from jackfield.testing.context import FakeContext, FakeLibraries
from jackfield_providers.catalog import ProviderCatalog
from jackfield_providers.commands import providers
from jackfield_providers.custom import CustomProviders
from jackfield_providers.diagnosis import findings
from jackfield_providers.kinds import DIALECTS, PROVIDERS
from jackfield_providers.routes import blueprints

ACME = """
id = "acme"
name = "Acme"
type = "anthropic-compatible"
[endpoints]
main = "https://acme.example/main"
backup = "https://acme.example/backup"
default = "backup"
[auth]
env_key = "ACME_API_KEY"
prompt = "Key for Acme"
[models]
available = ["large", "small"]
default = "small"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "providers.d").mkdir()
    (tmp_path / "dialects.d").mkdir()
    (tmp_path / "providers.d" / "acme.toml").write_text(ACME)
    return tmp_path


@pytest.fixture
def context(config: Path) -> FakeContext:
    made = FakeContext(config)
    libraries = {kind.name: KindLibrary(kind, config) for kind in (PROVIDERS, DIALECTS)}
    made.ports["ManifestLibraries"] = FakeLibraries(libraries)
    made.ports["Providers"] = ProviderCatalog(made)
    made.ports["CustomProviders"] = CustomProviders(made)
    return made


# ----------------------------------------------------------------------------------------------------------- manifests


async def test_a_provider_is_found_and_an_unknown_one_is_not(context: FakeContext) -> None:
    assert (await context.port(Providers).find("acme")).title == "Acme"
    with pytest.raises(NotFound, match="no provider nobody; there are: acme, anthropic") as caught:
        await context.port(Providers).find("nobody")
    assert caught.value.code == "PROVIDER_NOT_FOUND"


async def test_the_users_manifest_counts_before_the_shipped_one(context: FakeContext, config: Path) -> None:
    (config / "providers.d" / "mine.toml").write_text(ACME.replace('"acme"', '"anthropic"'))
    assert (await context.port(Providers).find("anthropic")).title == "Acme"


def test_an_endpoint_is_chosen_by_name_or_by_default() -> None:
    provider = Provider.model_validate({"id": "p", "type": "openai", "endpoints": {"a": "http://a", "b": "http://b"}})
    assert provider.endpoint() == ("a", "http://a")
    assert provider.endpoint("b") == ("b", "http://b")
    with pytest.raises(InvalidInput, match="it has: a, b"):
        provider.endpoint("c")


def test_a_default_may_be_an_address_itself() -> None:
    provider = Provider.model_validate({"id": "p", "type": "openai", "endpoints": {"default": "http://d"}})
    assert provider.endpoint() == ("default", "http://d")
    assert provider.named_endpoints == {"default": "http://d"}


def test_a_default_that_names_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"endpoints.default names 'x'"):
        Provider.model_validate({"id": "p", "type": "openai", "endpoints": {"a": "http://a", "default": "x"}})


@pytest.mark.parametrize(
    ("kind", "dialect"),
    [
        ("anthropic", "anthropic"),
        ("anthropic-compatible", "anthropic"),
        ("alpha", "anthropic"),
        ("alpha-compatible", "anthropic"),
        ("openai", "openai"),
        ("openai-compatible", "openai"),
        ("beta", "openai"),
        ("beta-compatible", "openai"),
        ("gemini", "gemini"),
        ("gemini-compatible", "gemini"),
        ("self", None),
    ],
)
def test_every_type_has_its_dialect(kind: str, dialect: str | None) -> None:
    provider = Provider.model_validate({"id": "p", "type": kind, "endpoints": {"a": ""}, "auth": {"env_key": "K"}})
    assert provider.dialect == dialect
    assert provider.needs_key == (kind != "self")


# ------------------------------------------------------------------------------------------------------------ dialects


async def test_dialects_are_data_that_the_user_may_change(context: FakeContext, config: Path) -> None:
    catalog = context.port(Providers)
    with pytest.raises(LookupError, match="ask for a provider first"):
        catalog.dialect("anthropic")
    await catalog.all()
    assert catalog.dialect("anthropic").token == "ANTHROPIC_AUTH_TOKEN"
    assert catalog.dialect("openai").base_url == "OPENAI_BASE_URL"
    names = 'base_url = "A_URL"\ntoken = "A_TOKEN"\napi_key = "A_KEY"\nmodel = "A_MODEL"\n'
    path = config / "dialects.d" / "anthropic.toml"
    path.write_text(f'id = "anthropic"\n{names}')
    await catalog.find("acme")
    assert catalog.dialect("anthropic").model == "A_MODEL"
    path.write_text(f'id = "anthropic"\n{names.replace("A_URL", "no name")}')
    await catalog.all()
    assert catalog.dialect("anthropic").model == "A_MODEL"
    assert "anthropic.toml" in catalog.warnings()[0]


# -------------------------------------------------------------------------------------------------------------- shipped


async def test_the_shipped_providers_are_sound(tmp_path: Path) -> None:
    library = KindLibrary(PROVIDERS, tmp_path)
    shipped = library.look()
    assert library.warnings() == []
    assert set(shipped) == {
        "anthropic", "deepseek", "deepseek-anthropic", "gemini", "google", "groq", "lm-studio", "minimax",
        "minimax-openai", "ollama", "openai", "openrouter", "self", "xai", "zai", "zai-openai",
    }  # fmt: skip
    for provider in shipped.values():
        assert "default" in provider.endpoints
        for url in provider.named_endpoints.values():
            if provider.type == "self":
                assert url == ""
                continue
            assert not url.endswith("/")
            assert url.startswith("http://127.0.0.1:" if not provider.needs_key else "https://")
            # Clients of the openai family add only /chat/completions, those of anthropic's /v1/messages.
            assert (url.rsplit("/", 1)[1] in ("v1", "v4", "openai")) == (provider.dialect == "openai")
        if provider.type != "self":
            assert provider.models.default in provider.models.available


# --------------------------------------------------------------------------------------------------------------- routes


async def ask(context: FakeContext, path: str) -> tuple[int, Any]:
    app = Quart("test")
    for blueprint in blueprints(context):
        app.register_blueprint(blueprint)

    @app.errorhandler(JackfieldError)
    async def envelope(error: JackfieldError) -> Response:
        return Response(jsontext.dumps({"code": error.code, "error": error.message}), status=error.status)

    answer = await app.test_client().get(path)
    return answer.status_code, json.loads(await answer.get_data())


async def test_the_list_names_types_models_and_broken_files(context: FakeContext, config: Path) -> None:
    (config / "providers.d" / "bad.toml").write_text('id = "bad"\ntype = "other"\n[endpoints]\na = ""\n')
    status, body = await ask(context, "/api/providers")
    assert status == 200
    acme = next(row for row in body["data"] if row["id"] == "acme")
    assert acme == {"id": "acme", "name": "Acme", "type": "anthropic-compatible", "default_model": "small"}
    (warning,) = body["warnings"]
    assert "bad.toml" in warning
    assert "type" in warning


async def test_the_detail_has_endpoints_without_the_pseudo_entry(context: FakeContext) -> None:
    status, body = await ask(context, "/api/providers/acme")
    assert status == 200
    assert body["data"] == {
        "id": "acme",
        "name": "Acme",
        "type": "anthropic-compatible",
        "default_model": "small",
        "endpoints": {"main": "https://acme.example/main", "backup": "https://acme.example/backup"},
        "default_endpoint": "backup",
        "models": ["large", "small"],
        "dialect": "anthropic",
        "custom": False,
        "auth": {"required": True, "env_key": "ACME_API_KEY", "prompt": "Key for Acme"},
    }


async def test_an_unknown_provider_is_404(context: FakeContext) -> None:
    status, body = await ask(context, "/api/providers/nobody")
    assert status == 404
    assert "nobody" in body["error"]


async def test_without_a_default_the_first_model_counts(context: FakeContext, config: Path) -> None:
    (config / "providers.d" / "acme.toml").write_text(ACME.replace('default = "small"', ""))
    _, body = await ask(context, "/api/providers/acme")
    assert body["data"]["default_model"] == "large"


async def test_the_doctor_names_broken_files(context: FakeContext, config: Path) -> None:
    (config / "providers.d" / "bad.toml").write_text("= =")
    found = await findings(context)
    assert found[0].good
    assert "17 known" in found[0].message
    assert [("bad.toml" in finding.message, finding.good) for finding in found[1:]] == [(True, False)]


# --------------------------------------------------------------------------------------------------------- command line


class FakeCli:
    def __init__(self, context: FakeContext) -> None:
        self._context = context

    def config_dir(self, given: Path | None) -> Path:
        return given or Path("nowhere")

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[Any]], *, config_dir: Path | None) -> Any:
        async def fresh() -> Any:
            return await work(self._context)

        return asyncio.run(fresh())


def say(context: FakeContext, *arguments: str) -> str:
    result = CliRunner().invoke(providers, arguments, obj=FakeCli(context))
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_lists_and_shows(context: FakeContext, config: Path) -> None:
    lines = [line.split() for line in say(context, "list").splitlines()]
    assert ["acme", "Acme", "anthropic-compatible", "small"] in lines
    assert {row["id"] for row in json.loads(say(context, "list", "--json"))} >= {"acme", "anthropic"}
    shown = say(context, "show", "acme")
    assert "backup: https://acme.example/backup" in shown
    assert json.loads(say(context, "show", "acme", "--json"))["default_endpoint"] == "backup"
    (config / "providers.d" / "bad.toml").write_text("= =")
    assert "bad.toml" in say(context, "list")
