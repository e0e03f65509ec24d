"""Write the data of Babel's languages anew, in a newer protocol of pickle and with each text of a file once.

The image runs it: `python tools/pack_languages.py`. Babel reads the same values from little more than half the bytes.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from pickletools import optimize

import babel

PROTOCOL = 5


def with_each_text_once(value: object, known: dict[str, str]) -> object:
    """The value with one object for equal texts, so that pickle writes a text once. Objects are changed in place."""
    if isinstance(value, str):
        return known.setdefault(value, value)
    if type(value) is dict:
        return {with_each_text_once(key, known): with_each_text_once(held, known) for key, held in value.items()}
    if type(value) is list:
        return [with_each_text_once(held, known) for held in value]
    if type(value) is tuple:
        return tuple(with_each_text_once(held, known) for held in value)
    attributes = getattr(value, "__dict__", {})
    for name, held in attributes.items():
        attributes[name] = with_each_text_once(held, known)
    return value


def packed(data: bytes) -> bytes:
    """A pickle of the same value."""
    value = pickle.loads(data)  # noqa: S301  (Babel's own files)
    return optimize(pickle.dumps(with_each_text_once(value, {}), PROTOCOL))


def main() -> None:
    for path in Path(babel.__file__).parent.glob("locale-data/*.dat"):
        path.write_bytes(packed(path.read_bytes()))


if __name__ == "__main__":
    main()
