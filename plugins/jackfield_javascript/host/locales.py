"""Languages by their tags, and the digits that some of them write."""

from __future__ import annotations

from functools import lru_cache

from babel import Locale, UnknownLocaleError

DIGITS = {
    "arab": "٠١٢٣٤٥٦٧٨٩",
    "arabext": "۰۱۲۳۴۵۶۷۸۹",
    "deva": "०१२३४५६७८९",
    "beng": "০১২৩৪৫৬৭৮৯",
    "mymr": "၀၁၂၃၄၅၆၇၈၉",
}


@lru_cache(maxsize=64)
def find_locale(tag: str) -> tuple[Locale, str]:
    """The locale for a BCP 47 tag, and the tag that it stands for; English where nothing is known."""
    parts = tag.split("-u-", 1)[0].split("-")
    while parts:
        try:
            return Locale.parse("-".join(parts), sep="-"), "-".join(parts)
        except (UnknownLocaleError, ValueError):
            parts.pop()
    return Locale.parse("en_US"), "en-US"
