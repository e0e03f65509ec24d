"""Presets of webhooks: each verifies the calls of one sender, such as GitHub. Jackfield's own and a stranger's come
through one hook, `jackfield_webhook_presets`.

A stranger's preset runs on its own threads, each call with a time limit. Any exception, and any result but a
`VerifiedCall`, refuses the call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from .extensions import ExtensionPoint
from .jsontext import Json
from .records import record

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,39}")
RESERVED_FIELDS = frozenset({"algorithm", "encoding", "header", "preset", "secret"})
"""Names in `authConfig` that mean something for every preset."""


@record
class WebhookCall:
    """A call as it came.

    `headers`: lower-case names, values decoded as Latin-1. A repeated header is joined. `body`: as sent, before any
    decoding. `url`: as the sender called it, with its query. `now`: Unix seconds by the daemon's clock.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    now: float


@record
class VerifiedCall:
    """The statements of a good proof.

    `delivery`: the id of the event. A call with the id of an earlier one starts nothing and gets the first answer
    again. It counts alone, so give only an id that the proof covers. `event`: its name, at most 200 characters, such as
    `push`. `claims`: what the item has as `jwtPayload`.
    """

    delivery: str | None = None
    event: str = ""
    claims: Mapping[str, Json] | None = None


@record
class PresetField:
    """A value beside the secret that the verifier is made from.

    `name`: its key in the node's `authConfig`. `options`: the only values that it may have; empty: any text. Its value
    is shown to everybody who may read the workflow.
    """

    name: str
    label: str
    description: str = ""
    required: bool = False
    options: Sequence[str] = ()


class PresetMistake(ValueError):
    """A value does not fit the preset. field: its name, or `secret`. The message never holds the value."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class WebhookVerifier(Protocol):
    """Verifies the calls of one webhook."""

    @property
    def headers(self) -> Collection[str]:
        """Names of the headers that carry the proof. Their values are never stored or handed on."""

    def verify(self, call: WebhookCall) -> VerifiedCall:
        """Compare in constant time. Raises `WebhookUnauthorized`; anything else that is raised refuses the call too."""

    def sign(self, call: WebhookCall) -> Mapping[str, str]:
        """The headers with which the sender would send this call, for a test."""


class WebhookPreset(Protocol):
    """How one sender signs."""

    @property
    def name(self) -> str:
        """As `authConfig.preset` names it: letters and digits. Case does not tell names apart."""

    @property
    def label(self) -> str:
        """The sender's name, for people."""

    @property
    def description(self) -> str:
        """One sentence: what is signed, and where the secret is found."""

    @property
    def key_label(self) -> str:
        """The sender's name of its secret, such as `Signing secret`; empty when there is none."""

    @property
    def fields(self) -> Sequence[PresetField]: ...

    def verifier(self, values: Mapping[str, str]) -> WebhookVerifier:
        """values: those of `fields` that are given, and `secret`. Raises `PresetMistake`."""


def preset_mistakes(preset: WebhookPreset) -> Iterator[str]:
    """One clause per member whose value cannot be used."""
    if not (isinstance(preset.name, str) and _NAME.fullmatch(preset.name)):
        yield "its name is not letters and digits, at most 40"
    if not (isinstance(preset.label, str) and preset.label.strip()):
        yield "its label is no text"
    if not isinstance(preset.description, str):
        yield "its description is no text"
    if not isinstance(preset.key_label, str):
        yield "its key_label is no text; give what the sender calls its secret, or an empty text"
    fields: object = preset.fields
    if isinstance(fields, str) or not isinstance(fields, Sequence):
        yield "its fields are no sequence of PresetField"
        return
    for field in fields:
        yield from _field_mistakes(field)


def _field_mistakes(field: object) -> Iterator[str]:
    if not isinstance(field, PresetField):
        yield "its fields hold something that is no PresetField"
    elif not (isinstance(field.name, str) and _NAME.fullmatch(field.name)) or field.name in RESERVED_FIELDS:
        yield f"its fields hold one with the name {field.name!r}, which cannot be used"
    elif not all(isinstance(text, str) for text in (field.label, field.description)) or not field.label:
        yield f"the label or the description of its field {field.name} is no text"
    elif isinstance(field.options, str) or not all(isinstance(option, str) for option in field.options):
        yield f"the options of its field {field.name} are no texts"


WEBHOOK_PRESETS = ExtensionPoint("jackfield_webhook_presets", WebhookPreset, folds=True, check=preset_mistakes)
