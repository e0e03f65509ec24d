"""`python -m language`, with `tools` on the path: the flaws in words for people, beyond those of the baseline.

The baseline says how many flaws a file may still have. It only shrinks: `--write` lowers it where a file is better now.
Name files to see all their flaws.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

from language import rules, scope
from language.grammar import Harper
from language.texts import Flaw

BASELINE = Path(__file__).with_name("baseline.json")
SHARES = 24

Found = dict[str, list[Flaw]]


@cache
def harper() -> Harper:
    """One for each process: it reads a dictionary of some megabytes."""
    return Harper()


def flaws(names: Sequence[str]) -> Found:
    """The flaws of each of these files."""
    return {name: flaws_of(name) for name in names}


def flaws_of(name: str) -> list[Flaw]:
    passages = scope.passages(name)
    counted = [flaw for passage in passages for flaw in rules.flaws(passage)]
    return sorted([*counted, *harper().flaws(passages)], key=lambda flaw: flaw.line)


def all_flaws() -> Found:
    """The flaws of every file; all processors read."""
    names = list(scope.files())
    with ProcessPoolExecutor() as pool:
        shares = pool.map(flaws, (names[start::SHARES] for start in range(SHARES)))
        return {name: found for share in shares for name, found in share.items()}


def excess(found: Found, allowed: Mapping[str, int]) -> Found:
    """The files that have more flaws than they may."""
    return {name: of_file for name, of_file in sorted(found.items()) if len(of_file) > allowed.get(name, 0)}


def lowered(found: Found, allowed: Mapping[str, int]) -> dict[str, int]:
    """The baseline after some files have become better. A file that it does not know gets no entry."""
    left = {name: min(count, len(found.get(name, ()))) for name, count in allowed.items()}
    return {name: count for name, count in sorted(left.items()) if count}


def counted(found: Found) -> dict[str, int]:
    """The baseline as the files are, for branches that meet and began before a rule did."""
    return {name: len(of_file) for name, of_file in sorted(found.items()) if of_file}


def show(found: Found) -> None:
    for name, of_file in found.items():
        for flaw in of_file:
            sys.stdout.write(f"{name}:{flaw.line}: [{flaw.rule}] {flaw.message}: {flaw.excerpt}\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m language", description=__doc__)
    parser.add_argument("--write", action="store_true", help="lower the baseline to the flaws that are left")
    parser.add_argument("--renew", action="store_true", help="write the baseline anew; its difference shows what grew")
    parser.add_argument("--rules", action="store_true", help="show how often each rule is broken")
    parser.add_argument("path", nargs="*", help="show every flaw of these files")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    if given.path:
        found = flaws([Path(path).resolve().relative_to(scope.ROOT).as_posix() for path in given.path])
        show(found)
        return int(any(found.values()))
    allowed: dict[str, int] = json.loads(BASELINE.read_text())
    found = all_flaws()
    if given.rules:
        counts = Counter(flaw.rule for of_file in found.values() for flaw in of_file)
        sys.stdout.writelines(f"{count:6} {rule}\n" for rule, count in counts.most_common())
    if given.write or given.renew:
        kept = lowered(found, allowed) if given.write else counted(found)
        BASELINE.write_text(json.dumps(kept, indent=1) + "\n")
    worse = excess(found, allowed)
    show(worse)
    total = sum(map(len, found.values()))
    sys.stdout.write(f"{len(found)} files, {total} flaws of which the baseline allows {sum(allowed.values())}.\n")
    if worse:
        sys.stdout.write("Files above have more flaws than before. Rewrite them by docs/language.md.\n")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
