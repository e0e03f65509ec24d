"""The text of PDFs."""

from __future__ import annotations

import io
from collections.abc import Sequence

from pypdf import PdfReader

from jackfield.api.nodes import NodeError

MAX_PAGES = 5_000


def pages_of(content: bytes) -> Sequence[str]:
    """The text of each of the first pages. Raises `NodeError` for a document that cannot be read."""
    try:
        pages = PdfReader(io.BytesIO(content)).pages
        return [pages[number].extract_text() for number in range(min(len(pages), MAX_PAGES))]
    except Exception as exc:  # whatever a damaged document makes of the library
        raise NodeError(f"The PDF cannot be read ({type(exc).__name__}).") from None
