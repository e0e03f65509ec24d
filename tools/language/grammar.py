"""Harper, with the project's own rules and those of its rules that hardly ever err on technical prose."""

from __future__ import annotations

import io
import json
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import harper

from language.texts import Flaw, Passage

HOUSE = Path(__file__).with_name("house")
CHOSEN = frozenset(
    {
        "AllowTo",
        "AndTheLike",
        "AvoidAndAlso",
        "AwaitFor",
        "BeAllowed",
        "CondenseAllThe",
        "Cant",
        "DespiteOf",
        "DoubleClick",
        "DoubleModal",
        "EachAndEveryOne",
        "EllipsisLength",
        "FarAndFewBetween",
        "InterestedIn",
        "LikeAsIf",
        "LitotesDirectPositive",
        "ModalOf",
        "MoreBetter",
        "RepeatedWords",
        "RightClick",
        "SimilarLike",
        "TheAnother",
        "TheHowWhy",
        "ThenThan",
        "Towards",
        "VeryUnique",
        "WasComprisedOf",
        "Whereas",
        "WrongApostrophe",
    }
)


class Harper:
    """Reads passages; one object serves one thread."""

    def __init__(self) -> None:
        house = sorted(HOUSE.glob("*.weir"))
        self._linter = harper.Linter()
        if failures := self._linter.load_weirpack(packed(house)):
            raise SystemExit(f"The project's own rules fail their tests: {failures}")
        wanted = CHOSEN | {rule.stem for rule in house}
        if unknown := wanted - set(self._linter.get_lint_config()):
            raise SystemExit(f"Harper does not know these rules: {', '.join(sorted(unknown))}")
        self._linter.set_lint_config({name: name in wanted for name in self._linter.get_lint_config()})

    def flaws(self, passages: Sequence[Passage]) -> Iterator[Flaw]:
        """Each place that a rule of Harper objects to."""
        text = "\n\n".join(passage.text for passage in passages)
        starts = list(accumulate((len(passage.text) + 2 for passage in passages), initial=0))
        for rule, found in self._linter.organized_lints(text).items():
            for lint in found:
                passage = passages[bisect_right(starts, lint.span.start) - 1]
                around = text[max(0, lint.span.start - 30) : lint.span.end + 30].replace("\n", " ")
                yield Flaw(passage.line, rule, lint.message, around)


def packed(rules: Sequence[Path]) -> bytes:
    """The rules as one package of Harper."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as package:
        about = {
            "author": "Jackfield",
            "version": "1.0.0",
            "description": "The language rule of Jackfield",
            "license": "MIT",
        }
        package.writestr("manifest.json", json.dumps(about))
        for rule in rules:
            package.write(rule, rule.name)
    return archive.getvalue()
