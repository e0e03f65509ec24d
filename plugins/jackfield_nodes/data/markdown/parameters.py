"""Parameters of the Markdown node."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.nodes import Flag, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.data.form import MARKDOWN


class Replacement(Parameters):
    pattern: str = Field("", description="A text.")
    replacement: str = Field("", description="The text in its place; $& is the text itself.")

    @property
    def given(self) -> bool:
        return bool(self.pattern or self.replacement)


class OneReplacement(Parameters):
    value: Replacement = Field(default_factory=Replacement)


class Replacements(Parameters):
    values: list[Replacement] = Field(default_factory=list)


class MarkdownOptions(Parameters):
    tables: Flag = Field(False, description="Tables as GitHub has them.")
    strikethrough: Flag = Field(False, description="~~text~~ is struck through.")
    tasklists: Flag = Field(False, description="`- [x]` is a checkbox.")
    simple_line_breaks: Flag = Field(False, description="A line break is one in HTML as well.")
    simplified_auto_link: Flag = Field(False, description="Addresses become links.")
    open_links_in_new_window: Flag = Field(False, description="Links with target=_blank.")
    no_header_id: Flag = Field(False, description="Headings without an id.")
    prefix_header_id: object = Field("", description="The beginning of every heading's id.")
    raw_prefix_header_id: Flag = Field(False, description="Keeps the beginning of the ID as you write it.")
    raw_header_id: Flag = Field(False, description="Ids of headings with hyphens for blanks, and all other characters.")
    gh_compatible_header_id: Flag = Field(False, description="The same without marks, as GitHub has them.")
    customized_header_id: Flag = Field(False, description="`{name}` at the end of a heading is its id.")
    tables_header_id: Flag = Field(False, description="Ids for the headings of tables.")
    split_adjacent_blockquotes: Flag = Field(False, description="A blank line ends a quotation.")
    header_level_start: int = Field(1, ge=1, le=100, description="The level of `#`.")
    disable_forced4_spaces_indented_sublists: Flag = Field(
        False,
        description="Entries of inner lists need less than four blanks.",
        alias="disableForced4SpacesIndentedSublists",
    )
    literal_mid_word_underscores: Flag = Field(False, description="_ inside of words is no emphasis.")
    literal_mid_word_asterisks: Flag = Field(False, description="* inside of words is no emphasis.")
    complete_html_document: Flag = Field(False, alias="completeHTMLDocument", description="With html, head and body.")
    bullet_marker: str = Field("", description="Before the entries of a list; * when empty.")
    code_fence: str = Field("", description="Around code; ``` when empty.")
    em_delimiter: str = Field("", description="Around emphasis; _ when empty.")
    strong_delimiter: str = Field("", description="Around strong emphasis; ** when empty.")
    code_block_style: str = Field("", description="Code is fenced without it, and indented with it, as n8n takes it.")
    ignore: str = Field("", description="Elements to leave out, separated by commas; not those of a block.")
    block_elements: str = Field("", description="Elements with blank lines around, separated by commas.")
    max_consecutive_newlines: int = Field(3, ge=0, description="Line breaks in a row at most; 0: 3.")
    keep_data_images: Flag = Field(False, description="Whether images inside of the document stay.")
    use_link_reference_definitions: Flag = Field(False, description="Addresses of links at the end.")
    text_replace: Replacements = Field(default_factory=Replacements, description="Texts to replace.")
    global_escape: OneReplacement = Field(default_factory=OneReplacement, description="In place of our escapes.")
    line_start_escape: OneReplacement = Field(default_factory=OneReplacement, description="The same for line starts.")


class Markdown(Parameters):
    ui_fields: ClassVar[UiFields] = MARKDOWN

    mode: Literal["htmlToMarkdown", "markdownToHtml"] = Field("htmlToMarkdown", description="Which way.")
    html: object = Field(
        "", description="htmlToMarkdown: the HTML.", json_schema_extra=needed({"mode": ["htmlToMarkdown"]})
    )
    markdown: object = Field(
        "", description="markdownToHtml: the Markdown.", json_schema_extra=needed({"mode": ["markdownToHtml"]})
    )
    destination_key: str = Field("data", description="The field for the result.", json_schema_extra=needed())
    options: MarkdownOptions = Field(default_factory=MarkdownOptions)
