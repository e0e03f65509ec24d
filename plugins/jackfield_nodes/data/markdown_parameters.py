"""Parameters of the Markdown node."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jackfield.api.nodes import Flag, Parameters


class MarkdownOptions(Parameters):
    tables: Flag = Field(False, description="Tables as GitHub has them.")
    strikethrough: Flag = Field(False, description="~~text~~ is struck through.")
    tasklists: Flag = Field(False, description="`- [x]` is a checkbox.")
    simple_line_breaks: Flag = Field(False, description="A line break is one in HTML as well.")
    simplified_auto_link: Flag = Field(False, description="Addresses become links.")
    open_links_in_new_window: Flag = Field(False, description="Links with target=_blank.")
    no_header_id: Flag = Field(False, description="Headings without an id.")
    prefix_header_id: object = Field("", description="The beginning of every heading's id.")
    header_level_start: int = Field(1, ge=1, le=6, description="The level of `#`.")
    complete_html_document: Flag = Field(False, alias="completeHTMLDocument", description="With html, head and body.")
    bullet_marker: str = Field("*", description="Before the entries of a list.")
    code_fence: str = Field("```", description="Around code.")
    em_delimiter: str = Field("_", description="Around emphasis.")
    strong_delimiter: str = Field("**", description="Around strong emphasis.")
    code_block_style: str = Field("fence", description="fence or indented.")
    ignore: str = Field("", description="Elements to leave out, separated by commas.")
    max_consecutive_newlines: int = Field(3, ge=1, description="Line breaks in a row at most.")
    keep_data_images: Flag = Field(False, description="Whether images inside of the document stay.")


class Markdown(Parameters):
    mode: Literal["htmlToMarkdown", "markdownToHtml"] = Field("htmlToMarkdown", description="Which way.")
    html: object = Field("", description="htmlToMarkdown: the HTML.")
    markdown: object = Field("", description="markdownToHtml: the Markdown.")
    destination_key: str = Field("data", description="The field for the result.")
    options: MarkdownOptions = Field(default_factory=MarkdownOptions)
