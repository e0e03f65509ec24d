"""Manual pages of the commands, made from the commands themselves. Source: man-pages(7), groff_man(7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from jackfield.api.version import __version__

SECTION = "1"


def write_pages(root: click.Command, context: click.Context, directory: Path) -> int:
    """A page for every command that is not hidden, `NAME-SUBCOMMAND.1`. Returns how many."""
    directory.mkdir(parents=True, exist_ok=True)
    count = 0
    for command, its_context in _commands(root, context):
        name = its_context.command_path.replace(" ", "-")
        (directory / f"{name}.{SECTION}").write_text(page_of(command, its_context), encoding="utf-8")
        count += 1
    return count


def _commands(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    yield command, context
    for name, inner in _below(command, context):
        yield from _commands(inner, click.Context(inner, info_name=name, parent=context))


def _below(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield name, inner


def page_of(command: click.Command, context: click.Context) -> str:
    """One page."""
    name = context.command_path.replace(" ", "-")
    lines = [
        f'.TH "{_text(name.upper())}" "{SECTION}" "" "Jackfield {__version__}" "Jackfield"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(command.get_short_help_str(300))}",
        ".SH SYNOPSIS",
        f".B {_text(context.command_path)}",
        _text(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    options = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
    if options:
        lines.append(".SH OPTIONS")
        lines += _entries(options)
    inner = [(f"{name}-{below}({SECTION})", each.get_short_help_str(300)) for below, each in _below(command, context)]
    if inner:
        lines.append(".SH COMMANDS")
        lines += _entries(inner)
    return "\n".join(lines) + "\n"


def _entries(entries: list[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in entries:
        yield f".TP\n.B {_text(term)}\n{_text(meaning)}"


def _paragraphs(text: str) -> Iterator[str]:
    for at, paragraph in enumerate(text.replace("\b\n", "").split("\n\n")):
        if at:
            yield ".PP"
        yield from (_text(line.strip()) for line in paragraph.splitlines())


def _text(text: str) -> str:
    """As roff shows it: hyphens that can be copied, no line taken for a request."""
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
