"""The page report.html: findings, a heat map of ranks and steps, and tables. The page loads nothing from other places."""

import base64
import html
import math
import struct
import zlib

from lanescope.fleet import _text

MOST_ROWS = 200
MOST_HIGH = 640   # maximum height of the heat map in pixels
SHADES = 32
HOT = (196, 60, 30)

STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#6a737d;--line:#d8dee4}
@media(prefers-color-scheme:dark){:root{--ink:#dde3ea;--paper:#14171b;--faint:#8b949e;--line:#30363d}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1100px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
.faint{color:var(--faint)}li{margin:.6rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}
td:last-child{white-space:normal}
svg{max-width:100%;height:auto}svg text{fill:var(--faint);font:12px system-ui,sans-serif}
image{image-rendering:pixelated}.frame{fill:none;stroke:var(--line)}
"""


def _png(values, width):
    """A data URL of a picture with a pixel for each value: from transparent at 0 to full colour at 1."""
    palette = b"".join(bytes(HOT) for _ in range(SHADES))
    alpha = bytes(round(255 * shade / (SHADES - 1)) for shade in range(SHADES))
    lines = b"".join(b"\0" + bytes(round(value * (SHADES - 1)) for value in values[begin:begin + width])
                     for begin in range(0, len(values), width))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, len(values) // width, 8, 3, 0, 0, 0)
    data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"PLTE", palette) + chunk(b"tRNS", alpha) +
            chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))
    return "data:image/png;base64," + base64.b64encode(data).decode()


def waits_by_step(fleet):
    """Returns ranks, steps, and how long the others waited for each rank in each step."""
    waits = {}
    for row in fleet.matched.select(["last_rank", "step", "wait_ns"]).to_pylist():
        if row["step"] is not None:
            key = row["last_rank"], row["step"]
            waits[key] = waits.get(key, 0) + row["wait_ns"]
    ranks = sorted(set(fleet.ranks["rank"].to_pylist()))
    steps = sorted(set(fleet.steps["step"].to_pylist()) | {step for _, step in waits})
    return ranks, steps, waits


def _heat_map(fleet):
    ranks, steps, waits = waits_by_step(fleet)
    if not steps or not ranks:
        return "<p>There are no steps.</p>"
    most = max(waits.values(), default=0)
    values = [math.sqrt(max(waits.get((rank, step), 0), 0) / most) if most else 0 for rank in ranks for step in steps]
    cell_high = max(1.0, min(18.0, MOST_HIGH / len(ranks)))
    cell_wide = max(4.0, min(36.0, 960 / len(steps)))
    wide, high = cell_wide * len(steps), cell_high * len(ranks)
    every_rank, every_step = math.ceil(16 / cell_high), math.ceil(36 / cell_wide)
    marks = [f'<text x="62" y="{20 + (place + .5) * cell_high + 4:.1f}" text-anchor="end">{rank}</text>'
             for place, rank in enumerate(ranks) if place % every_rank == 0]
    marks += [f'<text x="{70 + (place + .5) * cell_wide:.1f}" y="{high + 36:.1f}" text-anchor="middle">{step}</text>'
              for place, step in enumerate(steps) if place % every_step == 0]
    return (f'<svg viewBox="0 0 {wide + 80:.0f} {high + 60:.0f}" width="{wide + 80:.0f}" role="img" '
            f'aria-label="Time that others waited, by rank and step">'
            f'<image x="70" y="20" width="{wide:.1f}" height="{high:.1f}" preserveAspectRatio="none" href="{_png(values, len(steps))}"/>'
            f'<rect class="frame" x="70" y="20" width="{wide:.1f}" height="{high:.1f}"/>{"".join(marks)}'
            f'<text x="0" y="12">rank</text><text x="{70 + wide / 2:.1f}" y="{high + 54:.1f}" text-anchor="middle">step</text></svg>'
            f'<p class="faint">How long the other ranks waited for a rank in a step, added up; the darkest cell is {_text.duration(most)}, '
            f'and half of its shade is a quarter of that.</p>')


def _table(head, rows):
    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape('' if cell is None else str(cell))}</{tag}>" for cell in cells) + "</tr>"

    more = f'<p class="faint">and {len(rows) - MOST_ROWS} more</p>' if len(rows) > MOST_ROWS else ""
    return f'<div class="wide"><table>{line(head, "th")}{"".join(line(row, "td") for row in rows[:MOST_ROWS])}</table></div>{more}'


def _findings(fleet):
    last = _text.last_step(fleet)
    if not fleet.findings:
        return f"<p>{_text.no_findings(fleet)}</p>"
    items = [f"<li><b>{html.escape(_text.headline(finding, last))}</b> · {_text.cost(finding)} "
             f'<span class="faint">{html.escape(finding["id"])}</span><br>{html.escape(finding["text"])}</li>' for finding in fleet.findings]
    return f"<ol>{''.join(items)}</ol>"


def page(fleet):
    """The page as HTML text."""
    sections = [("Ranks and steps", _heat_map(fleet))]
    for title, (head, rows) in (("Ranks, by how long others waited for them", _text.ranks_table(fleet)),
                                ("Who waited for whom", _text.waits_table(fleet)),
                                ("Transfers, from the last rank's begin", _text.transfers_table(fleet)),
                                ("Problems", _text.problems_table(fleet))):
        if rows:
            sections.append((title, _table(head, rows)))
    body = "".join(f"<h2>{title}</h2>{content}" for title, content in sections)
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Fleet of {len(fleet.ranks)} ranks</title>'
            f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body>'
            f"<h1>Fleet of {len(fleet.ranks)} ranks</h1><p>{html.escape(_text.overview(fleet))}.</p>"
            f"{_findings(fleet)}{body}</body></html>\n")
