"""What is compared: nodes of packages with parameters, items and the service's replies."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PAGE = "<html><head><title>One</title></head><body><h1>Two</h1><p>Three <a href='/x'>four</a></p></body></html>"


@dataclass(frozen=True)
class Reply:
    """What the service says."""

    body: Any = field(default_factory=lambda: {"id": 7, "data": [{"a": 1}, {"a": 2}], "url": "https://x.example/1"})
    status: int = 200
    type: str = "application/json"
    method: str = ""
    """Of the requests that it is for; empty: of all that no other is for."""

    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()

    def told(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "type": self.type,
            "method": self.method,
            "base64": base64.b64encode(self.content()).decode(),
        }


@dataclass(frozen=True)
class Case:
    """replies: in turn, the last for all that follow; goes_on: whether the node continues on errors."""

    name: str
    package: str
    node: str
    parameters: Mapping[str, Any]
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    items: Sequence[Mapping[str, Any]] = ({"json": {"n": 1}},)
    replies: Sequence[Reply] = (Reply(),)
    goes_on: bool = False
    version: float = 1


PACKAGES = (
    "n8n-nodes-evolution-api", "n8n-nodes-mcp", "@devlikeapro/n8n-nodes-chatwoot", "@mendable/n8n-nodes-firecrawl",
    "n8n-nodes-deepseek", "n8n-nodes-htmlcsstopdf", "n8n-nodes-upload-post", "@blotato/n8n-nodes-blotato",
    "n8n-nodes-html-tag-extract", "@searchapi/n8n-nodes-searchapi", "n8n-nodes-htmlcsstoimage",
    "n8n-nodes-convert-image", "n8n-nodes-turndown-html-to-markdown", "n8n-nodes-datastore",
)  # fmt: skip
"""The most used ones of those that can be had, of each kind some."""
EVOLUTION = {"evolutionApi": {"server-url": "https://evo.example", "apikey": "key-of-evolution"}}
CHATWOOT = {"chatwootApi": {"url": "https://chat.example", "accessToken": "token-of-chat", "accountId": "3"}}
FIRECRAWL = {"firecrawlApi": {"apiKey": "key-of-fire", "baseUrl": "https://fire.example/v2"}}
DEEPSEEK = {"deepSeekApi": {"apiKey": "key-of-seek"}}
PDF = {"htmlcsstopdfApi": {"apiKey": "key-of-pdf"}}
POST = {"uploadPostApi": {"apiKey": "key-of-post"}}
BLOTATO = {"blotatoApi": {"apiKey": "key-of-blot", "server": "https://blot.example"}}
SEARCH = {"searchApi": {"apiKey": "key-of-search"}}
IMAGE = {"htmlcsstoimgApi": {"apiKey": "key-of-image"}}
MCP = {"mcpClientHttpApi": {"httpStreamUrl": "https://mcp.example/mcp"}}
TOOL = {
    "name": "add",
    "description": "Adds",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}},
}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
GREETING = (
    Reply({}, 405, method="GET"),
    Reply({"jsonrpc": "2.0", "id": 0, "result": HELLO}, method="POST"),
    Reply(b"", 202, method="POST"),
)
DOT = {"data": PIXEL, "mimeType": "image/png", "fileName": "dot.png", "fileType": "image", "fileExtension": "png"}
FILE = {"json": {"n": 1}, "binary": {"data": DOT}}
SENT = {
    "resource": "messages-api",
    "operation": "send-text",
    "instanceName": "one",
    "remoteJid": "551199",
    "messageText": "hello",
}
CHAT = {
    "resource": "chat",
    "operation": "complete",
    "model": "deepseek-chat",
    "prompt": {"messages": [{"role": "user", "content": "hi"}]},
}
ANSWER = {"id": "1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}}], "usage": {}}
MANY = tuple({"json": {"n": number}} for number in range(3))

CASES = (
    Case("a text", "n8n-nodes-evolution-api", "evolutionApi", SENT, EVOLUTION),
    Case(
        "a text, refused",
        "n8n-nodes-evolution-api",
        "evolutionApi",
        SENT,
        EVOLUTION,
        replies=(Reply({"error": "no", "message": ["not there"]}, 404),),
    ),
    Case(
        "a text, refused, goes on",
        "n8n-nodes-evolution-api",
        "evolutionApi",
        SENT,
        EVOLUTION,
        replies=(Reply({"message": "no"}, 400),),
        goes_on=True,
    ),
    Case(
        "instances",
        "n8n-nodes-evolution-api",
        "evolutionApi",
        {"resource": "instances-api", "operation": "fetch-instances", "instanceName": "one"},
        EVOLUTION,
        replies=(Reply([{"name": "one"}, {"name": "two"}]),),
    ),
    Case(
        "account",
        "@devlikeapro/n8n-nodes-chatwoot",
        "chatWoot",
        {"resource": "Accounts", "operation": "Get Details Of An Account", "account_id": 3},
        CHATWOOT,
    ),
    Case(
        "contact",
        "@devlikeapro/n8n-nodes-chatwoot",
        "chatWoot",
        {"resource": "Contacts", "operation": "Contact Create", "account_id": 3, "inbox_id": 4, "name": "Ada"},
        CHATWOOT,
        items=MANY,
    ),
    Case(
        "account, refused",
        "@devlikeapro/n8n-nodes-chatwoot",
        "chatWoot",
        {"resource": "Accounts", "operation": "Get Details Of An Account", "account_id": 3},
        CHATWOOT,
        replies=(Reply({"error": "Access denied"}, 401),),
    ),
    Case(
        "scrape",
        "@mendable/n8n-nodes-firecrawl",
        "firecrawl",
        {
            "resource": "Scraping",
            "operation": "scrape",
            "url": "https://a.example/",
            "scrapeOptions": {"options": {"formats": {"format": [{"type": "markdown"}]}}},
        },
        FIRECRAWL,
    ),
    Case(
        "map",
        "@mendable/n8n-nodes-firecrawl",
        "firecrawl",
        {"resource": "MapSearch", "operation": "map", "url": "https://a.example/", "limit": 5},
        FIRECRAWL,
    ),
    Case(
        "search",
        "@mendable/n8n-nodes-firecrawl",
        "firecrawl",
        {"resource": "MapSearch", "operation": "search", "query": "jackfield", "limit": 2},
        FIRECRAWL,
    ),
    Case(
        "crawl status",
        "@mendable/n8n-nodes-firecrawl",
        "firecrawl",
        {"resource": "Crawling", "operation": "getCrawlStatus", "crawlId": "c1"},
        FIRECRAWL,
    ),
    Case("chat", "n8n-nodes-deepseek", "deepSeek", CHAT, DEEPSEEK, replies=(Reply(ANSWER),)),
    Case(
        "chat, whole",
        "n8n-nodes-deepseek",
        "deepSeek",
        {**CHAT, "simplifyOutput": False},
        DEEPSEEK,
        replies=(Reply(ANSWER),),
        items=MANY,
    ),
    Case(
        "chat, too often",
        "n8n-nodes-deepseek",
        "deepSeek",
        CHAT,
        DEEPSEEK,
        replies=(Reply({"error": {"message": "slow"}}, 429),),
    ),
    Case(
        "chat, goes on",
        "n8n-nodes-deepseek",
        "deepSeek",
        CHAT,
        DEEPSEEK,
        replies=(Reply({"error": {"message": "no"}}, 500),),
        goes_on=True,
    ),
    Case(
        "pdf",
        "n8n-nodes-htmlcsstopdf",
        "htmlcsstopdf",
        {"resource": "pdfCreation", "operation": "htmlToPdf", "html_content": "<b>x</b>", "css_content": ""},
        PDF,
    ),
    Case(
        "pdf of a page",
        "n8n-nodes-htmlcsstopdf",
        "htmlcsstopdf",
        {"resource": "pdfCreation", "operation": "urlToPdf", "url": "https://a.example"},
        PDF,
    ),
    Case("users", "n8n-nodes-upload-post", "uploadPost", {"resource": "users", "operation": "listUsers"}, POST),
    Case(
        "a post",
        "n8n-nodes-upload-post",
        "uploadPost",
        {"resource": "uploads", "operation": "uploadText", "user": "ada", "platform": ["x"], "title": "Hello"},
        POST,
    ),
    Case(
        "status",
        "n8n-nodes-upload-post",
        "uploadPost",
        {"resource": "monitoring", "operation": "getStatus", "requestId": "r1"},
        POST,
    ),
    Case(
        "source",
        "@blotato/n8n-nodes-blotato",
        "blotato",
        {"resource": "source", "operation": "create", "sourceType": "text", "sourceText": "hello"},
        BLOTATO,
        version=2,
    ),
    Case(
        "a post found",
        "@blotato/n8n-nodes-blotato",
        "blotato",
        {"resource": "post", "operation": "get", "postSubmissionId": "p1"},
        BLOTATO,
        version=2,
    ),
    Case("parts", "n8n-nodes-html-tag-extract", "htmlParts", {"htmlString": PAGE}),
    Case("json", "n8n-nodes-html-tag-extract", "jsonParse", {"jsonString": '{"a": [1, 2]}'}),
    Case("broken json", "n8n-nodes-html-tag-extract", "jsonParse", {"jsonString": "{a"}),
    Case(
        "google",
        "@searchapi/n8n-nodes-searchapi",
        "searchApi",
        {"resource": "google", "operation": "search", "google_q": "a b", "q": "a b"},
        SEARCH,
    ),
    Case(
        "baidu",
        "@searchapi/n8n-nodes-searchapi",
        "searchApi",
        {"resource": "baidu", "operation": "search", "baidu_q": "x", "q": "x"},
        SEARCH,
        items=MANY,
    ),
    Case(
        "image",
        "n8n-nodes-htmlcsstoimage",
        "htmlCssToImage",
        {"operation": "htmlToImage", "html_content": "<b>x</b>"},
        IMAGE,
    ),
    Case(
        "picture",
        "n8n-nodes-convert-image",
        "imageFormatConverter",
        {"inputType": "file", "outputFileFormat": "image/png"},
        items=(FILE,),
    ),
    Case(
        "markdown",
        "n8n-nodes-turndown-html-to-markdown",
        "mdTurndown",
        {"operation": "htmlToMarkdown", "input": PAGE, "outputKey": "text"},
    ),
    Case(
        "html",
        "n8n-nodes-turndown-html-to-markdown",
        "mdTurndown",
        {"operation": "markdownToHtml", "input": "# A\n\n*b*", "outputKey": "text"},
        items=MANY,
    ),
    Case(
        "image, whole",
        "n8n-nodes-htmlcsstoimage",
        "htmlCssToImage",
        {"operation": "htmlToImage", "html_content": "<b>x</b>", "response_format_html": "base64"},
        IMAGE,
    ),
    Case(
        "pdf, whole",
        "n8n-nodes-htmlcsstopdf",
        "htmlcsstopdf",
        {
            "resource": "pdfCreation",
            "operation": "htmlToPdf",
            "html_content": "<b>x</b>",
            "output_format": "file",
            "output_filename": "a.pdf",
        },
        PDF,
        replies=(Reply(b"%PDF-1.4 x", type="application/pdf"),),
    ),
    Case(
        "tools",
        "n8n-nodes-mcp",
        "mcpClient",
        {"connectionType": "http", "operation": "listTools"},
        MCP,
        replies=(*GREETING, Reply({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}, method="POST")),
    ),
    Case(
        "a tool",
        "n8n-nodes-mcp",
        "mcpClient",
        {"connectionType": "http", "operation": "executeTool", "toolName": "add", "toolParameters": '{"a": 1}'},
        MCP,
        replies=(
            *GREETING,
            Reply({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}, method="POST"),
            Reply({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "3"}]}}, method="POST"),
        ),
    ),
    Case(
        "kept",
        "n8n-nodes-datastore",
        "datastore",
        {"operation": "set", "keyName": "a", "valueString": "b", "outputForSetClear": "affectedValue"},
    ),
)
