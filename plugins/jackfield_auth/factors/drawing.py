"""QR codes."""

from __future__ import annotations

import io

import segno


def drawn(address: str) -> str:
    """A QR code of this text as an SVG document: dark squares on a white ground, no script and no style in it."""
    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        out, kind="svg", scale=5, border=4, light="#fff", xmldecl=False, svgclass=None, lineclass=None
    )
    return out.getvalue().decode()
