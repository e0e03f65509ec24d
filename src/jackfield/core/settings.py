"""Typed settings: config.toml < environment (`JACKFIELD_*`) < command line.

Every table is a pydantic model at a dotted path. A key's environment name is its path in upper snake case:
`webhooks.response_timeout` is `JACKFIELD_WEBHOOKS_RESPONSE_TIMEOUT`. A field that was renamed names its former
spellings; each is read with a warning, from every source, until the version that it names.
"""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from jackfield.api.errors import ConfigurationError
from jackfield.api.records import record
from jackfield.api.settings import SettingsTable
from jackfield.api.similar_names import did_you_mean

SettingsT = TypeVar("SettingsT", bound=BaseModel)
ValueT = TypeVar("ValueT")
log = logging.getLogger("jackfield.settings")
PREFIX = "JACKFIELD_"
SECRET_VARIABLES = frozenset(
    {"JACKFIELD_ADMIN_PASSWORD", "JACKFIELD_ENCRYPTION_KEY", "JACKFIELD_PREVIOUS_ENCRYPTION_KEY"}
)
NOT_SETTINGS = SECRET_VARIABLES | frozenset(
    {
        "JACKFIELD_CONFIG_DIR",
        "JACKFIELD_ATTENDED",  # of a daemon with workers, by its parent
        "JACKFIELD_DAEMON_ENDPOINT",
        "JACKFIELD_ADMIN_USERNAME",
        "JACKFIELD_API_KEY",  # of the command line's client, as the next one
        "JACKFIELD_UI_BUILD",  # of builds from a checkout
    }
)


@record
class SettingKey:
    """One key of one table, flattened. Nested models are their own tables here."""

    path: str
    field: FieldInfo
    former: Mapping[str, str] = MappingProxyType({})
    """A path that the key had -> the version that no longer reads it."""

    @property
    def environment(self) -> str:
        return environment_name(self.path)

    @property
    def libraries(self) -> Sequence[str]:
        """Variables with secrets that a library reads itself where this key leaves them out."""
        found = _extra(self.field).get("libraries")
        return [str(name) for name in found] if isinstance(found, list) else []

    @property
    def addresses(self) -> Sequence[str]:
        """Beginnings of the addresses of stores that this key holds; an empty one begins every other."""
        found = _extra(self.field).get("addresses")
        return [str(beginning) for beginning in found] if isinstance(found, list) else []

    @property
    def secret(self) -> bool:
        return bool(_extra(self.field).get("secret"))


@record
class Renaming:
    """A former name of a key. until: the version that no longer reads it."""

    old: str
    new: str
    until: str


def environment_name(path: str) -> str:
    """`webhooks.body_limit` -> `JACKFIELD_WEBHOOKS_BODY_LIMIT`."""
    return PREFIX + snake(path).upper()


def snake(path: str) -> str:
    """`webhooks.rateLimit.requests` -> `webhooks_rate_limit_requests`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", path).replace(".", "_").lower()


def nested_model(field: FieldInfo) -> type[BaseModel] | None:
    """The model that a field nests, if it is one."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def keys(path: str, model: type[BaseModel], former: Mapping[str, str] = MappingProxyType({})) -> Iterator[SettingKey]:
    """Every key below a table. former: paths that the table had -> the version that no longer reads them."""
    for attribute, field in model.model_fields.items():
        name = field.alias or attribute
        here = f"{path}.{name}"
        spellings = former_spellings(field)
        once = {f"{path}.{old}": until for old, until in spellings.items()}
        once |= {f"{table}.{old}": until for table, until in former.items() for old in (name, *spellings)}
        inner = nested_model(field)
        if inner is not None:
            yield from keys(here, inner, once)
        else:
            yield SettingKey(here, field, once)


def former_spellings(field: FieldInfo) -> dict[str, str]:
    """The field's `json_schema_extra["former"]`: a spelling of its key -> the version that no longer reads it."""
    former = _extra(field).get("former")
    return {str(old): str(until) for old, until in former.items()} if isinstance(former, dict) else {}


def _extra(field: FieldInfo) -> Mapping[str, Any]:
    extra = field.json_schema_extra
    return extra if isinstance(extra, dict) else {}


class Settings:
    """The tables, validated. Built by `load`."""

    def __init__(
        self,
        values: Mapping[str, BaseModel],
        tables: Sequence[SettingsTable],
        unknown: Sequence[str],
        unknown_variables: Sequence[str] = (),
    ) -> None:
        self._values = dict(values)
        self.tables = list(tables)
        self.unknown_tables = list(unknown)
        """Tables of config.toml that no loaded plugin has."""
        self.unknown_variables = list(unknown_variables)
        """Names of the environment that begin like a setting's and are none."""

    def get(self, model: type[SettingsT]) -> SettingsT:
        """The table of this model. Raises LookupError when nobody declared it."""
        for value in self._values.values():
            if isinstance(value, model):
                return value
        raise LookupError(f"no settings table of {model.__name__}")

    def value(self, path: str) -> object:
        """The effective value at a dotted key, as JSON. Raises LookupError."""
        held, field = self._held(path)
        if _is_plain(held, field):  # most are; the others have their model built to tell, which takes a millisecond
            return held
        for table in self.tables:
            if path.startswith(table.path + "."):
                found: Any = self._values[table.path].model_dump(mode="json", by_alias=True)
                rest = path.removeprefix(table.path + ".")
                try:
                    for part in rest.split("."):
                        found = found[part]
                except (KeyError, TypeError):
                    continue
                return found
        raise LookupError(path)

    def _held(self, path: str) -> tuple[object, FieldInfo]:
        """The same as its model holds it. Raises LookupError."""
        for table in self.tables:
            if path.startswith(table.path + "."):
                found: object = self._values[table.path]
                field: FieldInfo | None = None
                for part in path.removeprefix(table.path + ".").split("."):
                    found, field = _part(found, part)
                if field is not None:
                    return found, field
        raise LookupError(path)


def _is_plain(value: object, field: FieldInfo) -> bool:
    """Whether a value is its own JSON. A whole number of a field for others is not: 3 seconds are 3.0."""
    if type(value) is list:
        return all(type(one) is str for one in value)
    return value is None or type(value) in (bool, float, str) or (type(value) is int and field.annotation is int)


def _part(value: object, name: str) -> tuple[object, FieldInfo | None]:
    """The part of a model at this key, with its field; None when it has none."""
    fields = type(value).model_fields.items() if isinstance(value, BaseModel) else ()
    named = ((attribute, field) for attribute, field in fields if name == (field.alias or attribute))
    return next(((getattr(value, attribute), field) for attribute, field in named), (None, None))


def read_toml(path: Path) -> dict[str, Any]:
    """config.toml, or nothing when it is absent. Raises `ConfigurationError`."""
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise ConfigurationError(f"{path} is no file.")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as exc:
        raise ConfigurationError(f"{path} cannot be read: {exc.strerror}.") from None
    except UnicodeDecodeError as exc:
        raise ConfigurationError(f"{path} is not UTF-8 text (at byte {exc.start}); save it as UTF-8.") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"{path} is not valid TOML: {exc}.") from None
    except RecursionError:
        raise ConfigurationError(f"{path} is nested too deeply.") from None


def load(
    tables: Sequence[SettingsTable],
    file: Mapping[str, Any],
    environment: Mapping[str, str],
    overrides: Mapping[str, str],
) -> Settings:
    """Merge and validate. overrides: dotted key -> text, from the command line. Raises `ConfigurationError`."""
    known = {key.path: key for table in tables for key in keys(table.path, table.model)}
    renamings = [Renaming(old, key.path, until) for key in known.values() for old, until in key.former.items()]
    merged: dict[str, Any] = _copy(file)
    _leave_foreign(merged, tables)
    _rename_in_file(merged, renamings)
    environment = _renamed(environment, _of_environment(renamings), "The environment")
    overrides = _renamed(overrides, renamings, "--set")
    by_environment = {key.environment: key for key in known.values()}
    for name, text in environment.items():
        if name in by_environment:
            _put(merged, by_environment[name].path, _from_text(text, by_environment[name]))
    for path, text in overrides.items():
        if path not in known:
            raise _no_setting(path, known)
        _put(merged, path, _from_text(text, known[path]))
    values = {table.path: _validate(table, merged, tables) for table in tables}
    strange = [name for name in environment if name.startswith(PREFIX) and name not in {*by_environment, *NOT_SETTINGS}]
    return Settings(values, tables, list(_unknown(merged, tables)), sorted(strange))


def foreign_keys(table: SettingsTable) -> Mapping[str, str]:
    """Keys that a table's model knows as another program's (`json_schema_extra["foreign"]` of its configuration), by
    their paths, with what to say of them."""
    extra = table.model.model_config.get("json_schema_extra")
    foreign = extra.get("foreign") if isinstance(extra, dict) else None
    return {f"{table.path}.{key}": str(text) for key, text in foreign.items()} if isinstance(foreign, dict) else {}


def _leave_foreign(content: dict[str, Any], tables: Sequence[SettingsTable]) -> None:
    """A file of a program with tables of the same names does not stop the start: what it alone knows is left out."""
    for table in tables:
        for path, text in foreign_keys(table).items():
            if _value_at(content, path) is not None:
                _remove(content, path)
                log.warning("config.toml: %s is a key of another program and does not count; %s.", path, text)


def _renamed(given: Mapping[str, ValueT], renamings: Iterable[Renaming], source: str) -> dict[str, ValueT]:
    """The values of a source, under today's names; warns of former ones.

    Raises `ConfigurationError` when it gives a setting under both.
    """
    today = dict(given)
    for renaming in renamings:
        old, new = renaming.old, renaming.new
        if old not in today:
            continue
        if new in today:
            raise ConfigurationError(f"{source}: {old} and {new} are two spellings of one setting; keep {new}.")
        today[new] = today.pop(old)
        log.warning("%s: %s is now spelled %s; version %s no longer reads %s.", source, old, new, renaming.until, old)
    return today


def _of_environment(renamings: Iterable[Renaming]) -> Iterator[Renaming]:
    """Those whose variables differ; another spelling of capitals does not change a variable's name."""
    for renaming in renamings:
        old, new = environment_name(renaming.old), environment_name(renaming.new)
        if old != new:
            yield Renaming(old, new, renaming.until)


def _rename_in_file(content: dict[str, Any], renamings: Sequence[Renaming]) -> None:
    """Move the values of former keys to where they belong today."""
    paths = {path for renaming in renamings for path in (renaming.old, renaming.new)}
    given = {path: value for path in paths if (value := _value_at(content, path)) is not None}  # TOML has no null
    today = _renamed(given, renamings, "config.toml")
    for path in given.keys() - today.keys():
        _remove(content, path)
    for path in today.keys() - given.keys():
        _put(content, path, today[path])
    for path in {renaming.old.rpartition(".")[0] for renaming in renamings}:
        if _value_at(content, path) == {}:  # a renamed table that is empty now, or was
            _remove(content, path)


def _value_at(content: Any, path: str) -> Any:
    for part in path.split("."):
        content = content.get(part) if isinstance(content, Mapping) else None
    return content


def _remove(content: dict[str, Any], path: str) -> None:
    """Take a value out, and the tables around it that are empty then."""
    first, _, rest = path.partition(".")
    if rest:
        _remove(content[first], rest)
    if not rest or not content[first]:
        del content[first]


def _copy(value: Any) -> Any:
    return {key: _copy(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _put(target: dict[str, Any], path: str, value: object) -> None:
    *parents, last = path.split(".")
    for part in parents:
        inner = target.setdefault(part, {})
        if not isinstance(inner, dict):
            raise ConfigurationError(f"{path} cannot be set: {part} is not a table.")
        target = inner
    target[last] = value


def _from_text(text: str, key: SettingKey) -> object:
    """JSON for lists and objects, a comma list for lists, else the text as it is (pydantic converts it)."""
    if key.field.annotation is str:
        return text
    if text[:1] in ("[", "{"):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
    if "list" in str(key.field.annotation):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _table(merged: Mapping[str, Any], path: str) -> Any:
    found: Any = merged
    for part in path.split("."):
        found = found.get(part, {}) if isinstance(found, Mapping) else {}
    return found


def _validate(table: SettingsTable, merged: Mapping[str, Any], tables: Sequence[SettingsTable]) -> BaseModel:
    content = _table(merged, table.path)
    if not isinstance(content, Mapping):
        raise ConfigurationError(f"[{table.path}] must be a table.")
    below = {
        other.path.removeprefix(table.path + ".").split(".")[0]
        for other in tables
        if other.path.startswith(table.path + ".")
    }
    given = {name: value for name, value in content.items() if name not in below}
    if not given:
        # Defaults need no validation, and a model that is never validated is never built: that is 1 to 2 ms each.
        return table.model.model_construct()
    try:
        return table.model.model_validate(given)
    except ValidationError as exc:
        # The value is left out: it may be a secret.
        first = exc.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join([table.path, *(str(part) for part in first["loc"])])
        if first["type"] == "extra_forbidden":
            raise _no_setting(where, (key.path for one in tables for key in keys(one.path, one.model))) from None
        raise ConfigurationError(f"{where}: {first['msg']}. See `jackfield config`.") from None


def _no_setting(path: str, known: Iterable[str]) -> ConfigurationError:
    hint = did_you_mean(path, known).removesuffix(".")
    return ConfigurationError(f"{path}: there is no such setting{hint or '.'} See `jackfield config`.")


def _unknown(merged: Mapping[str, Any], tables: Sequence[SettingsTable]) -> Iterator[str]:
    paths = [table.path for table in tables]
    for name, value in merged.items():
        if name in paths:
            continue
        if not isinstance(value, Mapping):
            raise _no_setting(name, (key.path for table in tables for key in keys(table.path, table.model)))
        has_tables = any(isinstance(inner, Mapping) for inner in value.values())
        if not has_tables and not any(known.startswith(name + ".") for known in paths):
            yield name
            continue
        for inner in value:
            path = f"{name}.{inner}"
            if not any(known == path or known.startswith(path + ".") for known in paths):
                yield path
