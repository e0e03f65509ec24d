"""Parts of contents, both ways; requests and answers have the same."""

from __future__ import annotations

import mimetypes

from ...jsontext import Json
from ..fields import dumps_text, need_text, objects, opt_object, opt_text
from ..freeform import input_of
from ..media import titled_text
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
from ..names import called_name, fit_call_id
from .call_ids import CallIds
from .naming import camel, signature_of

OUTPUT, ERROR = "output", "error"
"""Of a function's response: what Google reads as its result, and as its failure."""
_FILES = "/v1beta/files/"
_ELSEWHERE = "[a file of another provider]"


def parse_part(part: Object, ids: CallIds, where: str) -> list[Block]:
    part = camel(part)
    signature, origin = signature_of(opt_text(part, "thoughtSignature", where) or "")
    if (call := opt_object(part, "functionCall", where)) is not None:
        found = parse_call(call, ids, f"{where}functionCall.", signature if origin == "gemini" else "")
        return [found]
    if (response := opt_object(part, "functionResponse", where)) is not None:
        return [_response(camel(response), ids, f"{where}functionResponse.")]
    if (blob := opt_object(part, "inlineData", where)) is not None:
        return [_media(camel(blob), f"{where}inlineData.")]
    if (file := opt_object(part, "fileData", where)) is not None:
        return [_file(camel(file), f"{where}fileData.")]
    said = opt_text(part, "text", where)
    if said is None and not signature:
        return [Foreign("gemini", part)]
    if part.get("thought") is True:
        return [Thinking(said or "", signature, origin, redacted=bool(signature) and not said)]
    texts: list[Block] = [TextBlock(said)] if said else []
    return [*texts, Thinking("", signature, origin, redacted=True)] if signature else texts


def parse_call(call: Object, ids: CallIds, where: str, signature: str) -> ToolUse:
    name = need_text(call, "name", where)
    call_id = ids.called(opt_text(call, "id", where) or "", name)
    arguments = dumps_text(opt_object(call, "args", where) or {})
    return ToolUse(call_id, name, arguments, signature=signature or None)


def _response(response: Object, ids: CallIds, where: str) -> ToolResult:
    name = need_text(response, "name", where)
    call_id = ids.answered(opt_text(response, "id", where) or "", name)
    said, failed = _said(opt_object(response, "response", where) or {})
    content: list[ResultBlock] = [TextBlock(said)] if said else []
    for n, part in enumerate(objects(response.get("parts"), f"{where}parts")):
        blob = opt_object(camel(part), "inlineData", f"{where}parts.{n}.")
        if blob is not None:
            content.append(_media(camel(blob), f"{where}parts.{n}.inlineData."))
    return ToolResult(call_id, tuple(content), is_error=failed)


def _said(response: Object) -> tuple[str, bool]:
    """The text of a function's response, and whether it has failed."""
    match [*response.items()]:
        case []:
            return "", False
        case [(("output" | "result" | "content"), value)]:
            return _text(value), False
        case [("error", value)]:
            return _text(value), True
    return dumps_text(response), False


def _text(value: Json) -> str:
    return value if type(value) is str else dumps_text(value)


def _media(blob: Object, where: str) -> ImageBlock | DocumentBlock:
    media_type, data = need_text(blob, "mimeType", where), need_text(blob, "data", where)
    if media_type.startswith("image/"):
        return ImageBlock(media_type, data)
    return DocumentBlock(media_type, data, title=opt_text(blob, "displayName", where))


def _file(file: Object, where: str) -> ImageBlock | DocumentBlock:
    """A file that Google keeps is its own file, everything else an address."""
    media_type, uri = opt_text(file, "mimeType", where) or "", need_text(file, "fileUri", where)
    kept = uri.startswith("gs://") or _FILES in uri
    url, file_id = ("", uri) if kept else (uri, "")
    if media_type.startswith("image/"):
        return ImageBlock(media_type, url=url, file_id=file_id)
    return DocumentBlock(media_type, url=url, file_id=file_id)


# ------------------------------------------------------------------------------------------------------------- building


def build_part(block: Block) -> Object | None:
    """Of anything but calls and their results. None: has no form here."""
    match block:
        case TextBlock():
            return {"text": block.text} if block.text else None
        case Thinking():
            return _thought(block)
        case ImageBlock():
            return _built_media(block, block.media_type or "image/png")
        case DocumentBlock():
            if block.text or not (block.data or block.url or block.file_id):
                return {"text": titled_text(block)}
            return _built_media(block, block.media_type or "application/pdf")
        case Foreign():
            return block.raw if block.dialect == "gemini" else None
    return None


def _thought(thinking: Thinking) -> Object | None:
    """Only what Gemini has signed itself: it refuses any other."""
    if thinking.origin != "gemini" or not thinking.signature:
        return None
    if thinking.redacted:
        return {"text": "", "thoughtSignature": thinking.signature}
    return {"text": thinking.text, "thought": True, "thoughtSignature": thinking.signature}


def _built_media(media: ImageBlock | DocumentBlock, media_type: str) -> Object:
    if media.data:
        return {"inlineData": {"mimeType": media_type, "data": media.data}}
    if media.url:
        kind = media.media_type or mimetypes.guess_type(media.url.partition("?")[0])[0] or media_type
        return {"fileData": {"mimeType": kind, "fileUri": media.url}}
    if "/" in media.file_id:  # of Google; ids of others are bare words
        return {"fileData": {"mimeType": media_type, "fileUri": media.file_id}}
    return {"text": _ELSEWHERE}


def build_call(call: ToolUse) -> Object:
    return {
        "functionCall": {
            "id": fit_call_id(call.id, "gemini"),
            "name": called_name(call.name, call.namespace),
            "args": input_of(call),
        }
    }


def build_result(result: ToolResult, name: str) -> Object:
    """Without media, which it cannot hold. name: of the tool that was called."""
    texts = [block.text for block in result.content if isinstance(block, TextBlock)]
    texts += [titled_text(one) for one in result.content if isinstance(one, DocumentBlock) and not _is_media(one)]
    response: Object = {ERROR if result.is_error else OUTPUT: "\n".join(texts)}
    call_id = fit_call_id(result.id, "gemini")
    return {"functionResponse": {"id": call_id, "name": name, "response": response}}


def media_of(result: ToolResult) -> list[ResultBlock]:
    return [block for block in result.content if isinstance(block, ImageBlock) or _is_media(block)]


def _is_media(block: ResultBlock) -> bool:
    return isinstance(block, DocumentBlock) and bool(block.data)
