"""The presets of all plugins, and their verifiers. Jackfield's own run where the call is; a stranger's are isolated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import WebhookUnauthorized
from jackfield.api.records import record, replace
from jackfield.api.webhooks import (
    WEBHOOK_PRESETS,
    PresetField,
    PresetMistake,
    VerifiedCall,
    WebhookCall,
    WebhookPreset,
    WebhookVerifier,
)
from jackfield_webhooks.authentication.isolation import OutOfTime, PresetThreads
from jackfield_webhooks.authentication.signatures import SignatureVerifier
from jackfield_webhooks.authentication.verifiers import (
    PLAIN_CHALLENGE,
    BasicVerifier,
    Closed,
    HeaderVerifier,
    Verifier,
    refusal,
)
from jackfield_webhooks.parameters import Findings

T = TypeVar("T")
_LONGEST_EVENT = 200
_SHORT_DIGEST = 1 << 20
"""Bodies up to this size are hashed without a thread: under a millisecond."""


@record
class KnownPreset:
    """A preset as it was when it was given: what the API shows of it cannot fail any more."""

    name: str
    label: str
    description: str
    key_label: str
    fields: Sequence[PresetField]
    plugin: str
    own: bool
    preset: WebhookPreset


class PresetCatalog:
    """Part of the plugin: every preset, by name."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._threads = context.port(PresetThreads)
        self._known: dict[str, KnownPreset] | None = None

    def all(self) -> Sequence[KnownPreset]:
        """The first call imports the plugins' modules."""
        if self._known is None:
            given = self._context.given(WEBHOOK_PRESETS)
            made = {name: self._copied(one.value, one.plugin) for name, one in given.items()}
            self._known = {name: one for name, one in made.items() if one is not None}
        return list(self._known.values())

    def _copied(self, preset: WebhookPreset, plugin: str) -> KnownPreset | None:
        try:
            return KnownPreset(
                preset.name, preset.label, preset.description, preset.key_label, tuple(preset.fields), plugin,
                plugin == self._context.name, preset,
            )  # fmt: skip
        except Exception:
            self._context.log.exception("A preset of the plugin %s cannot be read.", plugin)
            return None

    async def load(self) -> Sequence[KnownPreset]:
        """The same; modules are imported on a thread."""
        return await asyncio.to_thread(self.all) if self._known is None else self.all()

    def find(self, written: str) -> KnownPreset | None:
        """The preset that this spelling means: hyphens, underscores and case do not count."""
        plain = written.replace("-", "").replace("_", "").lower()
        return next((one for one in self.all() if one.name.lower() == plain), None)

    async def build(self, values: Mapping[str, str], findings: Findings) -> Verifier:
        """The verifier of `values["preset"]`. Mistakes go to `findings`, and then it refuses every call."""
        await self.load()
        known = self.find(values["preset"])
        if known is None:
            names = ", ".join(one.name for one in self.all())
            findings["authConfig.preset"] = f"preset must be one of {names}."
            return Closed()
        if not _complete(known, values, findings):
            return Closed()
        wanted = {
            name: values[name] for name in ("secret", *(field.name for field in known.fields)) if values.get(name)
        }
        try:
            return await self._made(known, wanted)
        except PresetMistake as exc:
            findings[f"authConfig.{exc.field}"] = str(exc)
        except OutOfTime:
            findings["authConfig.preset"] = f"The preset {known.name} gives no verifier in time."
        except Exception as exc:
            self._context.log.error("The preset %s of %s fails: %r", known.name, known.plugin, exc)
            findings["authConfig.preset"] = f"The preset {known.name} fails; the log says how."
        return Closed()

    async def _made(self, known: KnownPreset, values: Mapping[str, str]) -> Verifier:
        if known.own:
            found = known.preset.verifier(values)
            if not isinstance(found, SignatureVerifier):
                raise TypeError(f"{type(found).__name__} is no SignatureVerifier")
            return found
        verifier, headers = await self._threads.run(known.name, lambda: _made(known.preset, values))
        return IsolatedVerifier(self._context, known, verifier, headers, self._threads)


class IsolatedVerifier:
    """A stranger's verifier: asked on a thread, with a time limit. Any failure of it refuses the call."""

    needs_body = True
    challenge = PLAIN_CHALLENGE

    def __init__(
        self,
        context: PluginContext,
        known: KnownPreset,
        verifier: WebhookVerifier,
        headers: frozenset[str],
        threads: PresetThreads,
    ) -> None:
        self.headers = headers
        self._context = context
        self._known = known
        self._verifier = verifier
        self._threads = threads

    def verify(self, call: WebhookCall) -> VerifiedCall:
        """On the current thread, and without a limit."""
        return _checked(self._verifier.verify(call), self._known.name)

    async def verify_apart(self, call: WebhookCall) -> VerifiedCall:
        """Raises `WebhookUnauthorized`."""
        return await self._apart(lambda: self.verify(call))

    async def sign_apart(self, call: WebhookCall) -> Mapping[str, str]:
        """Raises `WebhookUnauthorized` when the preset signs nothing."""
        return await self._apart(lambda: _texts(self._verifier.sign(call)))

    async def _apart(self, work: Callable[[], T]) -> T:
        try:
            return await self._threads.run(self._known.name, work)
        except WebhookUnauthorized as exc:
            raise refusal(self.challenge, exc.message) from None
        except OutOfTime:
            self._log("does not answer within %s seconds", self._threads.seconds)
            raise refusal(self.challenge, "The signature of this call could not be checked in time.") from None
        except Exception as exc:
            self._log("fails: %r", exc)
            raise refusal(self.challenge, "The signature of this call could not be checked.") from None

    def _log(self, text: str, *values: object) -> None:
        self._context.log.error("The preset %s of %s " + text, self._known.name, self._known.plugin, *values)


async def verified(verifier: Verifier, call: WebhookCall) -> VerifiedCall:
    """Off the event loop where it may take long. Raises `WebhookUnauthorized`."""
    if isinstance(verifier, IsolatedVerifier):
        return await verifier.verify_apart(call)
    if len(call.body) <= _SHORT_DIGEST:
        return verifier.verify(call)
    return await asyncio.to_thread(verifier.verify, call)


async def signed(verifier: Verifier, call: WebhookCall) -> Mapping[str, str] | None:
    """The headers with which its sender would send this call; None when the verifier cannot say. Raises
    `WebhookUnauthorized` when a preset fails."""
    if isinstance(verifier, IsolatedVerifier):
        return await verifier.sign_apart(call)
    if isinstance(verifier, SignatureVerifier | HeaderVerifier | BasicVerifier):
        return await asyncio.to_thread(verifier.sign, call)
    return None


def _complete(known: KnownPreset, values: Mapping[str, str], findings: Findings) -> bool:
    before = len(findings)
    if known.key_label and not values.get("secret"):
        findings["authConfig.secret"] = "hmac needs the secret that its sender signs with, or a stored credential."
    for field in known.fields:
        value = values.get(field.name, "")
        if field.required and not value:
            findings[f"authConfig.{field.name}"] = f"The preset {known.name} needs this: {field.label}."
        elif value and field.options and value not in field.options:
            findings[f"authConfig.{field.name}"] = f"{field.name} must be one of {', '.join(field.options)}."
    return len(findings) == before


def _made(preset: WebhookPreset, values: Mapping[str, str]) -> tuple[WebhookVerifier, frozenset[str]]:
    verifier = preset.verifier(values)
    names = verifier.headers
    if isinstance(names, str) or not (callable(verifier.verify) and callable(verifier.sign)):
        raise TypeError(f"{type(verifier).__name__} is no WebhookVerifier")
    return verifier, frozenset(str(name).lower() for name in names)


def _checked(found: object, preset: str) -> VerifiedCall:
    """Nothing but a `VerifiedCall` lets a call through: None and False may both mean that a proof is wrong."""
    if not isinstance(found, VerifiedCall):
        raise TypeError(f"verify returned {type(found).__name__}; return a VerifiedCall, or raise WebhookUnauthorized")
    if not isinstance(found.event, str) or not isinstance(found.delivery, str | None):
        raise TypeError("delivery and event of a VerifiedCall are texts")
    if found.claims is not None:
        jsontext.dumps(dict(found.claims))
    delivery = None if found.delivery is None else f"{preset}:{found.delivery}"
    return replace(found, delivery=delivery, event=found.event[:_LONGEST_EVENT])


def _texts(headers: Mapping[str, str]) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in headers.items()}
