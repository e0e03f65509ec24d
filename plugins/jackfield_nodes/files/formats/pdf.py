"""The text of PDF documents."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from pypdf import PdfReader

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget


def read_pdf(content: bytes, budget: FileBudget, *, password: str, most: int | None, join: bool) -> dict[str, Json]:
    """most: pages to read; None: all. join: the pages as one text. Raises `NodeError`."""
    # Its warnings quote the document.
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    with _read():
        document = PdfReader(BytesIO(content), password=password or None)
        if document.is_encrypted and not document.decrypt(password):
            raise NodeError("The PDF is encrypted; give its password in options.password.")
        count = len(document.pages)
        wanted = range(count if most is None else min(most, count))
        pages: list[Json] = [document.pages[number].extract_text() for number in budget.counted(wanted)]
        info = {str(name).removeprefix("/"): str(value) for name, value in (document.metadata or {}).items()}
        version = document.pdf_header.removeprefix("%PDF-")
    text: Json = "\n\n".join(str(page) for page in pages) if join else pages
    return {"numpages": count, "numrender": len(wanted), "info": dict(info), "text": text, "version": version}


@contextmanager
def _read() -> Iterator[None]:
    try:
        yield
    except NodeError:
        raise
    except Exception as exc:  # whatever a damaged document makes of the library
        name = type(exc).__name__
        if name in {"WrongPasswordError", "FileNotDecryptedError"}:
            raise NodeError("The PDF is encrypted, and options.password is not its password.") from None
        raise NodeError(f"The file cannot be read as a PDF ({name}).") from exc
