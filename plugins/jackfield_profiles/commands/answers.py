"""`--answer KIND=ANSWER` of `jackfield profiles create` and `edit`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from jackfield.api.jsontext import Json

KNOWN = ("trusting=yes", "asking=yes", "asking=no")


def answers_of(texts: Sequence[str]) -> dict[str, Json]:
    """As the API takes them. Raises `click.BadParameter`."""
    for text in texts:
        if text not in KNOWN:
            raise click.BadParameter(f"'{text}' is none; use one of {', '.join(KNOWN)}.", param_hint="--answer")
    return {kind: answer for kind, _, answer in (text.partition("=") for text in texts)}


answer_option = click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="KIND=ANSWER",
    help="Answer dialogs in terminals: trusting=yes (its own working directory), asking=yes or asking=no; repeatable.",
)
