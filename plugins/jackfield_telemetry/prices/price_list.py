"""Prices of tokens: the shipped list, and the registry's before it, both in LiteLLM's form."""

from __future__ import annotations

import math
import re
import stat
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from jackfield_telemetry.prices.rates import Rates, rates_of

LARGEST = 64 * 2**20
"""Bytes of a price list."""
MAKERS = (
    "anthropic", "openai", "gemini", "xai", "zai", "minimax", "deepseek", "moonshot", "mistral", "dashscope", "groq",
    "openrouter",
)  # fmt: skip
"""Prefixes of models in the list, the makers' own before resellers'."""
ABOUT = "jackfield"
"""The shipped list's entry about itself."""
_DAY = re.compile(r"20\d\d-[01]\d-[0-3]\d")
_DATE = re.compile(r"-(?:20\d{6}|20\d\d-\d\d-\d\d)$")
_TAIL = re.compile(r"(?:-v\d+)?:\w+$|-v\d+$|-latest$|\[\w+\]$")


class PriceTable:
    """Prices by model, found under the names that agents use."""

    def __init__(self, models: Mapping[str, Mapping[str, object]], as_of: str | None = None) -> None:
        """as_of: YYYY-MM-DD, of the newest of the lists."""
        self._models, self.as_of = models, as_of
        self._names: dict[str, str] | None = None
        self._found: dict[tuple[str, str, str], Rates | None] = {}

    def __len__(self) -> int:
        return len(self._models)

    def rates(self, model: str, provider: str = "", tier: str = "") -> Rates | None:
        """None: the price is not known."""
        asked = (model, provider, tier)
        if asked not in self._found:
            if len(self._found) > 10_000:
                self._found.clear()
            key = self._key(model, provider)
            self._found[asked] = None if key is None else rates_of(self._models[key], key, tier)
        return self._found[asked]

    def _key(self, model: str, provider: str) -> str | None:
        """Exactly, with the provider's or a maker's prefix, without a date, without what hosts put around it."""
        if model in self._models:
            return model
        names = self._names
        if names is None:
            names = self._names = _index(self._models)
        for candidate in _candidates(model):
            for name in (f"{provider}/{candidate}", candidate):
                for form in (_plain(name), _DATE.sub("", _plain(name))):
                    if form in names:
                        return names[form]
        return None


def _candidates(model: str) -> Iterator[str]:
    """The name, then without a host's prefixes, each also without its tails."""
    shorter = model
    while True:
        yield shorter
        bare = _TAIL.sub("", shorter)
        if bare != shorter:
            yield bare
        separator = re.search(r"[/]|(?<=[a-z])\.(?=[a-z])", shorter)
        if separator is None:
            return
        shorter = shorter[separator.end() :]


def _plain(name: str) -> str:
    return re.sub(r"[.@_]", "-", name.lower())


def _index(models: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Plain forms of names -> key. The full name counts first, then a maker's model without its prefix, then a name
    without its date, of several the latest."""
    found: dict[str, str] = {}
    for key in models:
        found.setdefault(_plain(key), key)
    for maker in MAKERS:
        for key in models:
            if key.startswith(f"{maker}/"):
                found.setdefault(_plain(key.rpartition("/")[2]), key)
    for form, key in sorted(found.items(), reverse=True):
        found.setdefault(_DATE.sub("", form), key)
    return found


class Prices:
    """The table as the files are now. Blocks; for threads."""

    def __init__(self, shipped: Path | None, registry: Path) -> None:
        self._paths = [path for path in (shipped, registry) if path is not None]
        self._stamp: object = None
        self._table = PriceTable({})
        self._problems: list[str] = []
        self._looking = threading.Lock()

    def table(self) -> PriceTable:
        with self._looking:
            stamp = [_stamp(path) for path in self._paths]
            if stamp != self._stamp:
                self._load()
                self._stamp = stamp
            return self._table

    def problems(self) -> list[str]:
        """One sentence for each list that cannot be read, as of the last look."""
        return list(self._problems)

    def _load(self) -> None:
        models: dict[str, Mapping[str, object]] = {}
        problems, days = [], []
        for path in self._paths:
            try:
                listed = read_list(path)
                models |= _priced_ones(listed)
                days.append(_day_of(listed, path))
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as exc:
                problems.append(f"{path}: {exc}; its prices are left out. Sync the registry again or remove the file.")
        self._table, self._problems = PriceTable(models, max(days, default=None)), problems


def read_prices(path: Path) -> dict[str, Mapping[str, object]]:
    """Models that have a price. Raises OSError, and ValueError when it is no price list."""
    return _priced_ones(read_list(path))


def _day_of(listed: Mapping[str, object], path: Path) -> str:
    """The list's own word, else when the file was fetched; YYYY-MM-DD. Raises OSError."""
    about = listed.get(ABOUT)
    said = about.get("as_of") if isinstance(about, dict) else None
    if isinstance(said, str) and _DAY.fullmatch(said):
        return said
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()


def read_list(path: Path) -> dict[str, object]:
    """All that the list holds. Raises OSError, and ValueError when it is none."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for
        raise ValueError("no plain file")
    if found.st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST} bytes")
    try:
        given = msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, RecursionError) as exc:
        raise ValueError(f"not valid JSON ({exc})") from None
    if not isinstance(given, dict):
        raise ValueError("not a JSON object of models")  # noqa: TRY004 - of the file's content
    return given


def _priced_ones(listed: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    return {name: entry for name, entry in listed.items() if isinstance(entry, dict) and _priced(entry)}


def _priced(entry: Mapping[str, object]) -> bool:
    """The public list begins with an entry that describes the others in words."""
    return is_price(entry.get("input_cost_per_token")) or isinstance(entry.get("tiered_pricing"), list)


def is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
