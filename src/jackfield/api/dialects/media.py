"""Images and documents as the OpenAI dialects write them: one URL, which may be a data URL (RFC 2397)."""

from __future__ import annotations

from .model import DocumentBlock, ImageBlock


def data_url(media_type: str, data: str) -> str:
    return f"data:{media_type};base64,{data}"


def split_data_url(url: str) -> tuple[str, str]:
    """(media type, base64), both empty if it is none or not base64."""
    if not url.startswith("data:"):
        return "", ""
    head, comma, data = url[5:].partition(",")
    media_type, *parameters = head.split(";")
    if not comma or "base64" not in parameters:
        return "", ""
    return media_type or "application/octet-stream", data


def image_of(url: str, detail: str | None = None) -> ImageBlock:
    media_type, data = split_data_url(url)
    return ImageBlock(media_type, data, detail=detail) if media_type else ImageBlock(url=url, detail=detail)


def url_of(image: ImageBlock) -> str:
    """Empty if it is a file id."""
    return data_url(image.media_type or "image/png", image.data) if image.data else image.url


def document_of(file_data: str, title: str | None) -> DocumentBlock:
    """`file_data` is a data URL, or bare base64 as older clients send."""
    media_type, data = split_data_url(file_data)
    if media_type:
        return DocumentBlock(media_type, data, title=title)
    return DocumentBlock("application/pdf", file_data, title=title)


def file_name(document: DocumentBlock) -> str:
    return document.title or "document.pdf"


def titled_text(document: DocumentBlock) -> str:
    """A text document, or what stands for one that cannot be sent."""
    if document.text:
        return f"{document.title}:\n{document.text}" if document.title else document.text
    where = document.url or document.title or "a file"
    return f"[document: {where}]"
