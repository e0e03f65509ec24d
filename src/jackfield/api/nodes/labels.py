"""Labels from the names that programs use: `responseCode` is 'Response code'."""

from __future__ import annotations

import re

_SPELLED = (
    "AI API AWS BCC CA Base64 CC CID CPU CSS CSV DB DM DNS EC2 EU FTP GB GIF GPT GUID HMAC HTML HTTP HTTPS ICS ID "
    "IDs IMAP IP ISO IV JPEG JSON JWT KB LLM MB MCP MD5 MIME NoSQL ODS OCR OK PDF PEM PNG RAM REST RSVP RSS RTF S3 "
    "SDK SEO SFTP SHA1 SHA256 SHA384 SHA512 SMS SMTP SQL SSE SSH SSL TCP TLS TSV TTL UI URI URL URLs US UTC UTM UUID "
    "VAT XML XLS XLSX YAML ZIP OpenAI GitHub GitLab YouTube LinkedIn JavaScript TypeScript Python Markdown GraphQL "
    "PostgreSQL MySQL MongoDB OAuth OAuth1 OAuth2 iCal WhatsApp Google Slack Telegram Qdrant Pinecone Supabase Redis"
)
_ACRONYMS = {word.lower(): word for word in _SPELLED.split()}
_SHORT = {
    "js": "JavaScript",
    "ui": "",
    "param": "parameter",
    "params": "parameters",
    "asc": "ascending",
    "desc": "descending",
}
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WITH_DIGITS = re.compile(r"(?i)\b(oauth[12]|ec2|s3|md5|sha\d+)\b")


def label_of(name: str) -> str:
    """In sentence case, with acronyms as they are written: `redirectURL` is 'Redirect URL'. A name without any word is
    its own label."""
    known = _known(name)
    if known:
        return known
    words = [_written(word) for part in re.split(r"[^A-Za-z0-9]+", name) for word in _words(part)]
    text = " ".join(word for word in words if word) or name
    return text[:1].upper() + text[1:] if not text.startswith("iCal") else text


def _known(word: str) -> str:
    return _ACRONYMS.get(word.lower(), "")


def _words(part: str) -> list[str]:
    if _WITH_DIGITS.fullmatch(part):
        return [part]
    joined = _join_known(_WORDS.findall(part))
    return joined or ([part] if part else [])


def _join_known(words: list[str]) -> list[str]:
    """Words that only together have a spelling, such as Open and AI, are one."""
    joined: list[str] = []
    for word in words:
        if joined and _known(joined[-1] + word) and joined[-1] + word not in ("ID", "OK"):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _written(word: str) -> str:
    lower = word.lower()
    if lower in _SHORT:
        return _SHORT[lower]
    return word if word.isupper() and len(word) > 1 else _known(word) or lower
