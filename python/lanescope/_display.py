"""Texts and pages of tables, for terminals and notebooks."""

import html as _html
import shutil as _shutil
import unicodedata as _unicodedata

ROWS = 20
WIDTH = 40  # of a cell, in columns of a terminal
# Control characters, halves of characters, separators of lines, and characters that turn the direction of text.
HIDDEN = {"Cc", "Cs", "Zl", "Zp"}
DIRECTIONS = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


def _shown_character(character):
    hidden = _unicodedata.category(character) in HIDDEN or _unicodedata.bidirectional(character) in DIRECTIONS
    return "\N{REPLACEMENT CHARACTER}" if hidden else character


def _columns(text):
    """How many columns of a terminal a text takes: Chinese letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(2 if _unicodedata.east_asian_width(c) in "WF" else _unicodedata.category(c) not in ("Mn", "Me", "Cf") for c in text)


def _cut(text):
    """The text without characters that disturb a terminal, and as much of it as fits into a cell."""
    kept = []
    room = WIDTH
    for character in text:
        width = _columns(character)
        if width > room:
            while room < 1:
                room += _columns(kept.pop())
            return "".join(kept) + "…"
        kept.append(_shown_character(character))
        room -= width
    return "".join(kept)


def _cell(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return _cut(str(value))


def _shown(table):
    from lanescope import _native

    values = _native.columns_of(table._rows, 0, ROWS)
    return list(values), [[_cell(value) for value in row] for row in zip(*values.values())]


def _rest(table, columns_left=0):
    notes = []
    if len(table) > ROWS:
        notes.append(f"{len(table) - ROWS} more rows")
    if columns_left:
        notes.append(f"{columns_left} more columns")
    return f"… {', '.join(notes)}\n" if notes else ""


def text(table):
    """The first rows and as many columns as fit into the terminal."""
    names, rows = _shown(table)
    widths = [max([len(name), *(_columns(row[i]) for row in rows)]) for i, name in enumerate(names)]
    room = _shutil.get_terminal_size((160, 24)).columns
    count = 0
    while count < len(names) and (count == 0 or sum(widths[: count + 1]) + 2 * count <= room):
        count += 1
    lines = ["  ".join(cell + " " * (width - _columns(cell)) for cell, width in zip(row[:count], widths)).rstrip()
             for row in [names, *rows]]
    return "\n".join(lines) + "\n" + _rest(table, len(names) - count)


def html(table):
    names, rows = _shown(table)
    head = "".join(f"<th>{_html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{_rest(table)}</p>"


class Summary(str):
    """The text of a summary; `picture` makes the timeline that a notebook shows below it."""

    def __new__(cls, text, picture):
        self = super().__new__(cls, text)
        self._picture = picture
        return self

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return f"<pre>{_html.escape(str(self))}</pre>{self._picture()}"
