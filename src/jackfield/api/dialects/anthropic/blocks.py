"""Content blocks, both ways; requests and answers have the same."""

from __future__ import annotations

from ...jsontext import Json
from ..fields import dumps_text, invalid, need_text, objects, opt_bool, opt_object, opt_text, text
from ..freeform import input_of
from ..model import (
    Block,
    DocumentBlock,
    Foreign,
    ImageBlock,
    Object,
    ResultBlock,
    TextBlock,
    Thinking,
    ToolResult,
    ToolUse,
)
from ..names import fit_call_id, reveal_call_id, untag_signature

_TEXT_KEYS = frozenset({"type", "text", "cache_control"})
_DOCUMENT_KEYS = frozenset({"type", "source", "title", "cache_control"})


def parse_block(block: Object, where: str) -> Block:
    cache = opt_object(block, "cache_control", where)
    match block.get("type"):
        case "text":
            extra = {key: value for key, value in block.items() if key not in _TEXT_KEYS} or None
            return TextBlock(_required_text(block, "text", where), cache, extra)
        case "tool_use":
            arguments = dumps_text(opt_object(block, "input", where) or {})
            call_id = reveal_call_id(need_text(block, "id", where))
            return ToolUse(call_id, need_text(block, "name", where), arguments, cache=cache)
        case "tool_result":
            call_id = reveal_call_id(need_text(block, "tool_use_id", where))
            content = _result_content(block.get("content"), f"{where}content")
            return ToolResult(call_id, content, opt_bool(block, "is_error", where) or False, cache=cache)
        case "thinking":
            signature, origin = untag_signature(opt_text(block, "signature", where) or "", "anthropic")
            return Thinking(_required_text(block, "thinking", where), signature, origin)
        case "redacted_thinking":
            signature, origin = untag_signature(_required_text(block, "data", where), "anthropic")
            return Thinking("", signature, origin, redacted=True)
        case "image":
            return _image(_source(block, where), where, cache)
        case "document":
            return _document(block, where, cache)
        case "search_result":
            return _search_result(block, where, cache)
        case str():
            return Foreign("anthropic", block)
    raise invalid(f"{where}type", "a text is required")


def _required_text(source: Object, key: str, where: str) -> str:
    """May be empty."""
    value = source.get(key)
    if type(value) is not str:
        raise invalid(where + key, "a text is required")
    return value


def _result_content(value: Json, where: str) -> tuple[ResultBlock, ...]:
    if type(value) is str:
        return (TextBlock(value),)
    found: list[ResultBlock] = []
    for n, block in enumerate(objects(value, where)):
        parsed = parse_block(block, f"{where}.{n}.")
        if isinstance(parsed, (TextBlock, ImageBlock, DocumentBlock, Foreign)):
            found.append(parsed)
    return tuple(found)


def _source(block: Object, where: str) -> Object:
    source = opt_object(block, "source", where)
    if source is None:
        raise invalid(f"{where}source", "an object is required")
    return source


def _image(source: Object, where: str, cache: Object | None) -> ImageBlock:
    where += "source."
    match source.get("type"):
        case "base64":
            media_type = need_text(source, "media_type", where)
            return ImageBlock(media_type, _required_text(source, "data", where), cache=cache)
        case "url":
            return ImageBlock(url=need_text(source, "url", where), cache=cache)
        case "file":
            return ImageBlock(file_id=need_text(source, "file_id", where), cache=cache)
    raise invalid(f"{where}type", "must be one of base64, url, file")


def _document(block: Object, where: str, cache: Object | None) -> DocumentBlock:
    source = _source(block, where)
    title = opt_text(block, "title", where)
    extra = {key: value for key, value in block.items() if key not in _DOCUMENT_KEYS} or None
    where += "source."
    media_type = text(source.get("media_type"))
    match source.get("type"):
        case "base64":
            data = _required_text(source, "data", where)
            return DocumentBlock(media_type or "application/pdf", data, title=title, cache=cache, extra=extra)
        case "text":
            data = _required_text(source, "data", where)
            return DocumentBlock(media_type or "text/plain", text=data, title=title, cache=cache, extra=extra)
        case "url":
            return DocumentBlock(url=need_text(source, "url", where), title=title, cache=cache, extra=extra)
        case "file":
            return DocumentBlock(file_id=need_text(source, "file_id", where), title=title, cache=cache, extra=extra)
        case "content":
            joined = _joined(source.get("content"), f"{where}content")
            return DocumentBlock("text/plain", text=joined, title=title, cache=cache, extra=extra)
    raise invalid(f"{where}type", "must be one of base64, text, url, file, content")


def _search_result(block: Object, where: str, cache: Object | None) -> DocumentBlock:
    """A text with a title, to others; `extra` makes it what it is again."""
    said = f"{text(block.get('source'))}\n{_joined(block.get('content'), f'{where}content')}".strip()
    extra = {key: value for key, value in block.items() if key not in ("title", "cache_control")}
    return DocumentBlock("text/plain", text=said, title=opt_text(block, "title", where), cache=cache, extra=extra)


def _joined(content: Json, where: str) -> str:
    return "\n".join(item.text for item in _result_content(content, where) if isinstance(item, TextBlock))


# ------------------------------------------------------------------------------------------------------------- building


def build_block(block: Block) -> Object | None:
    """None: has no form here."""
    match block:
        case TextBlock():
            return _cached({"type": "text", "text": block.text, **(block.extra or {})}, block.cache)
        case ToolUse():
            call_id = fit_call_id(block.id, "anthropic")
            made: Object = {"type": "tool_use", "id": call_id, "name": block.name, "input": input_of(block)}
            return _cached(made, block.cache)
        case ToolResult():
            return _built_result(block)
        case Thinking():
            return _built_thinking(block)
        case ImageBlock():
            return _cached({"type": "image", "source": _image_source(block)}, block.cache)
        case DocumentBlock():
            return _built_document(block)
        case Foreign():
            return block.raw if block.dialect == "anthropic" else None


def _cached(block: Object, cache: Object | None) -> Object:
    if cache is not None:
        block["cache_control"] = cache
    return block


def _built_result(result: ToolResult) -> Object:
    made: Object = {"type": "tool_result", "tool_use_id": fit_call_id(result.id, "anthropic")}
    match result.content:
        case ():
            pass
        case (TextBlock(cache=None, extra=None) as only,):
            made["content"] = only.text
        case several:
            made["content"] = [built for item in several if (built := build_block(item)) is not None]
    if result.is_error:
        made["is_error"] = True
    return _cached(made, result.cache)


def _built_thinking(thinking: Thinking) -> Object | None:
    """Only what Anthropic has signed itself: it refuses any other."""
    if thinking.origin != "anthropic" or not thinking.signature:
        return None
    if thinking.redacted:
        return {"type": "redacted_thinking", "data": thinking.signature}
    return {"type": "thinking", "thinking": thinking.text, "signature": thinking.signature}


def _image_source(image: ImageBlock) -> Object:
    if image.data:
        return {"type": "base64", "media_type": image.media_type, "data": image.data}
    if image.file_id:
        return {"type": "file", "file_id": image.file_id}
    return {"type": "url", "url": image.url}


def _built_document(document: DocumentBlock) -> Object:
    source: Object
    if document.data:
        source = {"type": "base64", "media_type": document.media_type or "application/pdf", "data": document.data}
    elif document.file_id:
        source = {"type": "file", "file_id": document.file_id}
    elif document.url:
        source = {"type": "url", "url": document.url}
    else:
        source = {"type": "text", "media_type": "text/plain", "data": document.text}
    made: Object = {"type": "document", "source": source, **(document.extra or {})}
    if document.title:
        made["title"] = document.title
    return _cached(made, document.cache)
