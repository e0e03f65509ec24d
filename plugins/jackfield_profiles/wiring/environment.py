"""The environment of an agent: an allow list of the daemon's, the profile's home, and what the profile says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from jackfield.api.agents import Agent
from jackfield.api.secret_texts import hidden_text, is_secret_name
from jackfield_profiles.running_settings import NEVER_INHERITED

MASK = "***"
USUAL = frozenset(
    {"PATH", "TERM", "COLORTERM", "LANG", "LANGUAGE", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR",
     "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NO_PROXY", "no_proxy"}
)  # fmt: skip
"""Names that are always passed on; those that begin with LC_ as well."""
PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
"""Passed on unless the address holds a password."""
_XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
LOCAL = "127.0.0.1,localhost,::1"
SHORTEST_SECRET = 4
"""Characters; a shorter text is no key, and to replace it would spoil what it is part of."""


def inherited(daemon: Mapping[str, str], more: Iterable[str], keys: Collection[str]) -> dict[str, str]:
    """The part of the daemon's environment that an agent gets.

    `more`: names that the settings add. `keys`: variables that hold keys of providers, which are not passed on.
    """
    wanted = USUAL | frozenset(more)
    return {
        name: value
        for name, value in daemon.items()
        if (name in wanted or name.startswith("LC_") or (name in PROXIES and not _has_password(value)))
        and name not in keys
        and not name.startswith(NEVER_INHERITED)
    }


def _has_password(address: str) -> bool:
    try:
        return "@" in urlsplit(address if "://" in address else f"//{address}").netloc
    except ValueError:
        return True


def around_web_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables with which a client reaches our own proxy on loopback directly, where web proxies are set."""
    if not PROXIES & environment.keys():
        return {}
    present = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    every = ",".join(part for part in (present, LOCAL) if part)
    return {"NO_PROXY": every, "no_proxy": every}


def of_home(home: Path, agent: Agent) -> dict[str, str]:
    """The variables that keep the agent in its home: HOME, XDG, and the tool's own."""
    made = {"HOME": str(home), **{name: str(home / below) for name, below in _XDG.items()}}
    made |= {name: value.replace("{home}", str(home)) for name, value in agent.profile.env.items()}
    return made


def tool_directories(home: Path, agent: Agent) -> list[str]:
    """Directories, relative to the home, that the tool's own variables name: some tools want them to exist."""
    made = []
    for name, value in agent.profile.env.items():
        path = Path(value.replace("{home}", str(home)))
        if name.endswith(("_HOME", "_DIR")) and path.is_relative_to(home) and ".." not in path.parts and path != home:
            made.append(str(path.relative_to(home)))
    return made


def masked(environment: Mapping[str, str], secrets: Iterable[str]) -> dict[str, str]:
    """Fit to be shown, sorted: values of variables that are called like a secret, and secrets in others."""
    return {
        name: MASK if value and is_secret_name(name) else hidden_text(hidden(value, secrets))
        for name, value in sorted(environment.items())
    }


def hidden(text: str, secrets: Iterable[str]) -> str:
    """The text without these values."""
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, MASK)
    return text


def with_headers(lines: str, more: Iterable[tuple[str, str]]) -> str:
    """lines: `name: value` each. Where they have one of the headers already, they stay as they are: headers of a trace
    belong together."""
    added = {name.lower(): f"{name}: {value}" for name, value in more}
    own = [line for line in lines.split("\n") if line.strip()]  # as agents part them, and not at U+2028
    if any(line.partition(":")[0].strip().lower() in added for line in own):
        return lines
    return "\n".join([*own, *added.values()])
