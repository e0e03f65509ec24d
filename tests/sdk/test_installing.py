"""`jackfield plugins install` and `remove`, with wheels of what `jackfield plugins new` makes: `tox -e sdk`.

What the commands refuse before they ask pip, every run tries."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from jackfield.api.errors import ConfigurationError
from jackfield.cli import plugin_installs
from jackfield.cli.commands import plugins

if TYPE_CHECKING:
    from conftest import StrangersPlace

NAME = "jackfield-plugin-word-tally"
with_wheels = pytest.mark.skipif(os.environ.get("TOX_ENV_NAME") != "sdk", reason="`tox -e sdk` builds the wheels")


class InstallingUser:
    """Somebody who installs plugins, with a directory for the daemon."""

    def __init__(self, place: StrangersPlace, directory: Path) -> None:
        self.place = place
        self.directory = directory

    def said(self, *arguments: str) -> str:
        return self.place.run("jackfield", *arguments, *self._config(), cwd=self.directory)

    def refused(self, *arguments: str) -> str:
        done = self.place.ask("jackfield", *arguments, *self._config(), cwd=self.directory)
        assert done.returncode == 1, done.stdout
        return done.stderr

    def plugins(self) -> set[str]:
        return {plugin["name"] for plugin in json.loads(self.said("plugins", "--json"))}

    def _config(self) -> tuple[str, str]:
        return "--config-dir", str(self.directory / "config")


@pytest.fixture(scope="module")
def project(place: StrangersPlace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheels")
    place.run("jackfield", "plugins", "new", "node", "word-tally", "--author", "Ada", cwd=directory)
    return directory / NAME


@pytest.fixture
def user(place: StrangersPlace, tmp_path: Path) -> InstallingUser:
    return InstallingUser(place, tmp_path)


def wheel_of(place: StrangersPlace, project: Path, target: Path) -> str:
    place.run("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(target), str(project), cwd=target)
    return str(next(target.glob("*.whl")))


@with_wheels
def test_a_wheel_is_installed_listed_recorded_and_removed(
    user: InstallingUser, place: StrangersPlace, project: Path, tmp_path: Path
) -> None:
    wheel = wheel_of(place, project, tmp_path)
    done = json.loads(user.said("plugins", "install", wheel, "--json"))
    assert (done["distribution"], done["change"], done["restart"]) == (NAME, "installed", False)
    assert done["plugins"] == ["word_tally"]
    assert "word_tally" in user.plugins()
    assert f"{NAME} " in user.said("plugins", "remove", "word_tally")
    assert "word_tally" not in user.plugins()
    records = json.loads(user.said("audit", "list", "--json"))
    acts = {record["act"] for record in (records["data"] if isinstance(records, dict) else records)}
    assert {"plugin.install", "plugin.remove"} <= acts


@with_wheels
def test_a_plugin_for_another_api_does_not_stay(
    user: InstallingUser, place: StrangersPlace, project: Path, tmp_path: Path
) -> None:
    module = project / "src/jackfield_plugin_word_tally/__init__.py"
    sources = [module, *module.parent.glob("*.py")]
    written = next(path for path in sources if "requires =" in path.read_text())
    before = written.read_text()
    try:
        lines = ['    requires = "99"' if "requires =" in line else line for line in before.splitlines()]
        written.write_text("\n".join(lines) + "\n")
        wheel = wheel_of(place, project, tmp_path)
    finally:
        written.write_text(before)
    assert "needs plugin API 99" in user.refused("plugins", "install", wheel)
    assert "word_tally" not in user.plugins()


@with_wheels
def test_a_distribution_without_plugins_is_not_installed(
    user: InstallingUser, place: StrangersPlace, tmp_path: Path
) -> None:
    wheel = tmp_path / "bare-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("bare.py", "")
        archive.writestr("bare-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: bare\nVersion: 1.0\n")
        archive.writestr("bare-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("bare-1.0.dist-info/RECORD", "")
    assert "no entry point in the group jackfield" in user.refused("plugins", "install", str(wheel))
    assert place.ask("python", "-c", "import bare", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("what", ["./absent", "absent.whl", "a b", "-r", "x@y"])
def test_only_names_and_paths_are_taken(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_installs, "_run_installer", lambda *_: pytest.fail("pip was asked"))
    with pytest.raises(ConfigurationError, match=r"^NAME_OR_PATH: "):
        plugin_installs._install(what)


def test_an_address_with_a_password_reaches_no_record() -> None:
    done = CliRunner().invoke(plugins, ["install", "https://ada:secret@a.example/x.whl"])
    assert isinstance(done.exception, ConfigurationError)
    assert done.exception.message == "NAME_OR_PATH: download the file, and name its path."


def test_an_environment_of_the_system_or_of_another_user_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ConfigurationError, match="You may not write into"):
        plugin_installs._install("x")
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(ConfigurationError, match="The operating system manages the Python"):
        plugin_installs._remove("x")


@pytest.mark.parametrize("name", ["jackfield", "JackField", "webhooks"])
def test_jackfield_itself_is_not_removed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_installs, "_run_installer", lambda *_: pytest.fail("pip was asked"))
    with pytest.raises(ConfigurationError, match="These commands are for plugins"):
        plugin_installs._remove(name)


@pytest.mark.parametrize(
    ("stays", "words"),
    [("print('hello')", "writes to the standard output"), ("import time; time.sleep(60)", "did not end within 0.2")],
)
def test_a_plugin_that_no_command_bears_is_removed_again(
    stays: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    found = plugin_installs.PluginDistribution(NAME, "1.0", ["word_tally"])
    ran = plugin_installs._ran
    monkeypatch.setattr(plugin_installs, "_refuse_environment", lambda: None)
    monkeypatch.setattr(plugin_installs, "_run_installer", lambda *words: asked.append(words))
    monkeypatch.setattr(plugin_installs, "_plugin_distributions", lambda *_: iter([found]))
    monkeypatch.setattr(plugin_installs, "_ran", lambda _, *more: ran([sys.executable, "-c", stays], *more))
    monkeypatch.setattr(plugin_installs, "LONGEST_LOADING", 30 if "print" in stays else 0.2)
    with pytest.raises(ConfigurationError, match=words):
        plugin_installs._install(NAME)
    assert asked[-1][0] == "uninstall"


@pytest.mark.parametrize("removes", [True, False])
def test_an_installation_that_ends_in_between_leaves_the_version_before(
    removes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """uv takes the earlier version away before it writes the other one. Where neither can be removed, both are told."""
    found = plugin_installs.PluginDistribution(NAME, "2.0", ["word_tally"])
    known = [plugin_installs.PluginDistribution(NAME, "1.0", ["word_tally"])]
    acts: list[str] = []

    class Kept:
        def __init__(self, *_: object) -> None:
            pass

        def restore(self) -> bool:
            acts.append("restored")
            return True

    def run(action: str, *words: str) -> None:
        if "--constraint" in words:
            known.clear()
            raise ConfigurationError("no space left.")
        if action == "uninstall" and not removes:
            raise ConfigurationError("nothing is removed.")

    monkeypatch.setattr(plugin_installs, "_refuse_environment", lambda: None)
    monkeypatch.setattr(plugin_installs, "_run_installer", run)
    monkeypatch.setattr(plugin_installs, "KeptDistribution", Kept)
    monkeypatch.setattr(
        plugin_installs, "_plugin_distributions", lambda places=None: iter([found] if places else known)
    )
    monkeypatch.setattr(plugin_installs, "_mistakes", lambda _: [])
    told = rf"no space left\. .*{NAME} 1\.0 " + (
        r"is there again" if removes else r"was there before; install it again"
    )
    with pytest.raises(ConfigurationError, match=told):
        plugin_installs._install(NAME)
    assert acts == (["restored"] if removes else [])


@pytest.mark.parametrize("listed", [True, False])
def test_a_version_that_does_not_load_leaves_the_one_before(
    listed: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Byte for byte, without an index that may not have it."""

    def install(version: str, *, record: bool = True) -> None:
        about = tmp_path / f"word_tally-{version}.dist-info"
        (tmp_path / "word_tally").mkdir(exist_ok=True)
        about.mkdir()
        (tmp_path / "word_tally/__init__.py").write_text(f"VERSION = '{version}'\n")
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: word-tally\nVersion: {version}\n")
        (about / "entry_points.txt").write_text("[jackfield]\nword_tally = word_tally:P\n")
        names = [
            "word_tally/__init__.py",
            *(f"{about.name}/{name}" for name in ("METADATA", "RECORD", "entry_points.txt")),
        ]
        if record:
            (about / "RECORD").write_text("".join(f"{name},,\n" for name in names))

    def uninstall() -> None:
        shutil.rmtree(tmp_path / "word_tally")
        for about in tmp_path.glob("*.dist-info"):
            shutil.rmtree(about)

    def run(action: str, *words: str) -> None:
        if "--target" not in words:
            uninstall()
            if action == "install":
                install("2.0")

    found = plugin_installs.PluginDistribution("word-tally", "2.0", ["word_tally"])
    own = plugin_installs._plugin_distributions
    monkeypatch.setattr(
        plugin_installs, "_plugin_distributions", lambda places=None: iter([found]) if places else own([str(tmp_path)])
    )
    monkeypatch.setattr(plugin_installs, "_refuse_environment", lambda: None)
    monkeypatch.setattr(plugin_installs, "_run_installer", run)
    monkeypatch.setattr(
        plugin_installs,
        "_mistakes",
        lambda _: ["it breaks"] if "2.0" in (tmp_path / "word_tally/__init__.py").read_text() else [],
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    install("1.0", record=listed)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    told = "is there again, as before" if listed else "without a list of its files; install it again"
    with pytest.raises(
        ConfigurationError, match=rf"does not load: it breaks\. .* 2\.0 was removed again\. word-tally 1\.0 .*{told}"
    ):
        plugin_installs._install("word-tally")
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == (before if listed else {})


def test_a_plugin_does_not_bring_another_version_of_jackfield(monkeypatch: pytest.MonkeyPatch) -> None:
    constraints: list[str] = []

    def run(action: str, *words: str) -> None:
        if "--constraint" in words:
            constraints.append(Path(words[words.index("--constraint") + 1]).read_text())

    found = plugin_installs.PluginDistribution(NAME, "1.0", ["word_tally"])
    monkeypatch.setattr(plugin_installs, "_refuse_environment", lambda: None)
    monkeypatch.setattr(plugin_installs, "_run_installer", run)
    monkeypatch.setattr(plugin_installs, "_plugin_distributions", lambda *_: iter([found]))
    monkeypatch.setattr(plugin_installs, "_mistakes", lambda _: [])
    assert plugin_installs._install(NAME) == found
    assert constraints == [f"jackfield=={version('jackfield')}\n"]


def test_the_line_of_pip_that_names_the_distribution_is_told() -> None:
    said = "ERROR: Cannot install plug==1.0 because of conflicts.\nERROR: ResolutionImpossible: for help visit a page\n"
    assert plugin_installs._last_line(said) == "ERROR: Cannot install plug==1.0 because of conflicts."
