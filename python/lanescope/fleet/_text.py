"""Formats the findings of a fleet as sentences and its tables as columns, for a terminal."""

MOST_ROWS = 10

WORDS = {"slow-gpu": "its GPU is slow", "data-loader": "it waits for its data loader", "slow-host": "its host launches late",
         "slow-link": "its link is slow", "more-work": "it has more work", "copies": "it copies more",
         "unexplained": "the recording does not say why"}


def duration(ns):
    """Formats a time with its unit and four significant digits."""
    if ns is None:
        return "?"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.4g} {unit}" if abs(ns) < 9999.5 * size else f"{ns / size:,.0f} {unit}"
    return f"{ns:.0f} ns"


def size(count):
    for unit, one in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= one:
            return f"{count / one:.4g} {unit}"
    return f"{count} B"


def share(part):
    return "" if part is None else f"{100 * part:.1f} %"


def who(finding):
    """Names the rank of a finding, or the ranks that it may be."""
    if finding["rank"] is not None:
        return f"rank {finding['rank']}"
    return f"one of the ranks {finding['ranks']}" if finding.get("ranks") else "an unknown rank"


def when(finding, last):
    """Names the steps of a finding. `last`: the last step of the fleet."""
    first, end = finding["first_step"], finding["last_step"]
    if first is None:
        return "outside of steps"
    if first == end:
        return f"in step {first}"
    return f"from step {first} on" if end == last else f"from step {first} to {end}"


def headline(finding, last):
    text = f"{who(finding)} holds the others up {when(finding, last)}: {WORDS.get(finding['id'], finding['id'])}"
    return text[0].upper() + text[1:]


def cost(finding):
    text = duration(finding["cost_ns"])
    return f"{text} ± {duration(finding['uncertainty_ns'])}" if finding["uncertainty_ns"] else text


def last_step(fleet):
    return max(fleet.steps["step"].to_pylist(), default=None)


def overview(fleet):
    """A sentence on the size of the fleet."""
    steps = fleet.steps.to_pylist()
    text = f"{len(fleet.ranks)} ranks, {len(steps)} steps, {len(fleet.matched)} collectives on several ranks"
    if steps:
        times = sorted(row["median_ns"] for row in steps)
        text += f"; the median step takes {duration(times[len(times) // 2])}"
        if len(steps) > 1:
            text += f", the first {duration(steps[0]['median_ns'])}, the longest {duration(times[-1])}"
    return text


def no_findings(fleet):
    """What it means that there are no findings."""
    if fleet.is_compared:
        return "No rank holds the others up by more than the limits."
    return "Nothing was compared: no collective was found on two ranks. The problems say why."


def columns(head, rows):
    """Lines of a table: texts are aligned left, other values right."""
    cells = [head] + [["" if value is None else str(value) for value in row] for row in rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(head))]
    left = [any(isinstance(row[place], str) and not row[place][:1].isdigit() and row[place][:1] not in "-+±" for row in rows if row[place])
            for place in range(len(head))]
    return [("  " + "  ".join(cell.ljust(width) if to_left else cell.rjust(width)
                              for cell, width, to_left in zip(row, widths, left))).rstrip() for row in cells]


def ranks_table(fleet):
    """Header and rows of all ranks, sorted by how long others waited for them."""
    rows = sorted(fleet.ranks.to_pylist(), key=lambda row: (-(row["caused_ns"] or 0), row["rank"]))
    return (["rank", "others waited", "came last", "it waited", "step", "GPU busy", "exposed comm.", "MFU", "clock", "drift", "±"],
            [[row["rank"], duration(row["caused_ns"]), f"{row['last']} of {row['matched']}", duration(row["waited_ns"]),
              duration(row["step_ns"]), share(row["busy_share"]), share(row["exposed_communication_share"]), share(row["mfu"]),
              duration(row["offset_ns"]), "" if row["drift_ppm"] is None else f"{row['drift_ppm']:.2f} ppm",
              duration(row["residual_ns"])] for row in rows])


def waits_table(fleet):
    rows = sorted(fleet.blame.to_pylist(), key=lambda row: -row["wait_ns"])
    return (["late rank", "waiting rank", "calls", "waited"],
            [[row["late_rank"], row["waiting_rank"], row["calls"], duration(row["wait_ns"])] for row in rows])


def transfers_table(fleet):
    rows = sorted(fleet.transfers.to_pylist(), key=lambda row: -row["total_ns"])
    return (["collective", "message", "ranks", "calls", "median transfer", "longest", "bus"],
            [[row["kind"], size(row["bytes"]), row["group_size"], row["calls"], duration(row["median_ns"]),
              duration(row["longest_ns"]), f"{row['bus_gb_per_s']:.1f} GB/s"] for row in rows])


def problems_table(fleet):
    return (["problem", "rank", "file", "text"],
            [[row["problem"], row["rank"], row["name"], row["text"]] for row in fleet.problems.to_pylist()])


def _section(title, head, rows):
    more = [f"  and {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []
    return ["", title, *columns(head, rows[:MOST_ROWS]), *more] if rows else []


def text(fleet):
    lines = [overview(fleet), ""]
    last = last_step(fleet)
    for place, finding in enumerate(fleet.findings, 1):
        lines += [f"{place}. {headline(finding, last)} · {cost(finding)} · {finding['id']}", f"   {finding['text']}"]
    if not fleet.findings:
        lines.append(no_findings(fleet))
    lines += _section("Ranks, by how long others waited for them", *ranks_table(fleet))
    lines += _section("Who waited for whom", *waits_table(fleet))
    lines += _section("Transfers, from the last rank's begin", *transfers_table(fleet))
    lines += _section("Problems", *problems_table(fleet))
    return "\n".join([*lines, "", f"Results: {fleet.out}"])
