"""From configuration and environment to a kernel: it finds plugins, reads the settings of all, wipes secrets."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from jackfield.api.files import private_directory
from jackfield.api.settings import SettingsTable
from jackfield.api.similar_names import did_you_mean

from .checks.precedence import NameTaken
from .plugins import PluginHost
from .process.environment import hide, wipe
from .redaction import Redactor
from .settings import SECRET_VARIABLES, Settings, keys, load, read_toml
from .tables import CORE_TABLES, PluginsSettings

if TYPE_CHECKING:
    from .kernel import Kernel
    from .workers.link import WorkerLink

log = logging.getLogger("jackfield.kernel")


def load_plugins(
    config_dir: Path, environment: Mapping[str, str], overrides: Mapping[str, str]
) -> tuple[PluginHost, Settings]:
    """Find the plugins and read the settings of all of them."""
    file = read_toml(config_dir / "config.toml")
    core = {path: text for path, text in overrides.items() if path.startswith("plugins.")}
    first = load(
        [table for table in CORE_TABLES if table.path == "plugins"],
        {"plugins": file.get("plugins", {})},
        environment,
        core,
    )
    chosen = first.get(PluginsSettings)
    host = PluginHost(disabled=chosen.disabled, strict=chosen.strict, time=chosen.startup_timeout)
    host.discover()
    tables = settings_tables(host)
    return host, load(tables, file, environment, overrides)


def settings_tables(host: PluginHost) -> Sequence[SettingsTable]:
    """The kernel's tables and those of the loaded plugins. A path that is taken is that plugin's failure."""
    tables = {table.path: table for table in CORE_TABLES}
    owners = dict.fromkeys(tables, "the kernel")
    for name, offered in host.classes.items():
        for table in offered.settings:
            try:
                checked = _checked(table, owners.get(table.path, name), name)
                _refuse_key(table.path, tables.values())
                owners[table.path] = name
                tables[table.path] = checked
            except BaseException as exc:
                host.failed(name, exc, f"cannot have the settings table [{table.path}]")
    return list(tables.values())


def _refuse_key(path: str, tables: Iterable[SettingsTable]) -> None:
    """Raises `NameTaken` when a known table has a key on the way to this path."""
    for known in tables:
        if path.startswith(f"{known.path}."):
            key = path.removeprefix(f"{known.path}.").partition(".")[0]
            if key in known.model.model_fields:
                raise NameTaken(f"{known.path}.{key} is a key of the table [{known.path}]; name the table otherwise")


def _checked(table: SettingsTable, owner: str, plugin: str) -> SettingsTable:
    """The table with its model imported. Raises NameTaken, TypeError, ImportError."""
    if owner != plugin:
        raise NameTaken(f"it is the table of {owner}; give yours another name")
    model: object = table.model
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise TypeError(f"{table.source} is no pydantic model")
    return SettingsTable(table.path, model)


def build(
    config_dir: Path, environment: Mapping[str, str], overrides: Mapping[str, str], link: WorkerLink | None = None
) -> Kernel:
    """Everything up to, but not including, I/O on the store. Raises `ConfigurationError`."""
    from .kernel import Kernel  # `jackfield config` does without

    private_directory(config_dir)
    redactor = Redactor()
    host, settings = load_plugins(config_dir, environment, overrides)
    for table in settings.tables:
        _redact_secrets(settings, table, redactor)
    wipe((*SECRET_VARIABLES, *_secret_variables(settings)), environment)
    libraries = _library_variables(settings)
    redactor.add(*(environment[name] for name in libraries if environment.get(name)))
    hide(libraries, environment)
    kernel = Kernel(config_dir, host, settings, redactor, environment=environment, link=link)
    kernel.assemble()
    for path in settings.unknown_tables:
        hint = did_you_mean(path, (table.path for table in settings.tables))
        log.warning("config.toml has a table [%s] that no loaded plugin knows%s", path, hint)
    for name in settings.unknown_variables:
        log.warning("The environment has %s, which is no setting of a loaded plugin.", name)
    return kernel


def _secret_variables(settings: Settings) -> list[str]:
    found = (key for table in settings.tables for key in keys(table.path, table.model))
    return [key.environment for key in found if key.secret]


def _library_variables(settings: Settings) -> list[str]:
    found = (key.libraries for table in settings.tables for key in keys(table.path, table.model))
    return sorted({name for names in found for name in names})


def _redact_secrets(settings: Settings, table: SettingsTable, redactor: Redactor) -> None:
    for key in keys(table.path, table.model):
        if key.secret:
            value = settings.value(key.path)
            redactor.add(*([value] if isinstance(value, str) else map(str, value) if isinstance(value, list) else []))
