"""A text that comes in pieces, without secrets: a piece may end in the middle of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jackfield.api.jsontext import Json


class SecretsHidden:
    """secrets: values that the agent knows. hide: replaces what else must not be shown."""

    def __init__(self, secrets: Sequence[str], hide: Callable[[str], str]) -> None:
        self._secrets = [secret for secret in secrets if secret]
        self._hide = hide

    def hide(self, text: str) -> str:
        """Of a whole text."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return self._hide(text)

    def hide_all(self, value: Json) -> Json:
        """Of every text in the value."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_all(one) for one in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide_all(one) for name, one in value.items()}
        return value

    def split(self, text: str) -> tuple[str, str]:
        """The part of a text that may be shown while the text goes on. The rest waits, since it may be the beginning of
        a secret."""
        text = self.hide(text)
        held = max((_begun(text, secret) for secret in self._secrets), default=0)
        return text[: len(text) - held], text[len(text) - held :]


def _begun(text: str, secret: str) -> int:
    """How many characters at the text's end begin the secret."""
    longest = min(len(text), len(secret) - 1)
    return next((size for size in range(longest, 0, -1) if secret.startswith(text[-size:])), 0)
