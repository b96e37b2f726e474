"""The folder of a fleet's results.

    data/TABLE/rank=R/KEY.parquet   what was read from the traces: a dataset of Parquet for each table, in parts by rank and file
    KEY.parquet in data/facts       is written last: it has the size of every other part, so a rank with whole facts is whole
    results/TABLE.parquet           what the ranks have in common: see the page about fleets
    fleet.json, report.html
    lanescope-fleet                 marks the folder: nothing is replaced or removed in a folder without this file

A file appears under its name only when it is whole.
"""

import glob
import json
import os
import re

MARK = "lanescope-fleet"
MARK_TEXT = "lanescope fleet wrote this folder, and replaces and removes files in it.\n"
OWN_PART = re.compile(r"[0-9a-f]{16}\.parquet(\.\d+\.part)?")  # the names that part_path() and write_table() give
LAYOUT = 1  # of the tables of data; what another layout wrote is read again


def is_marked(out):
    """Whether lanescope fleet made the folder."""
    try:
        with open(os.path.join(out, MARK), encoding="utf-8", errors="replace") as file:
            return file.read(len(MARK_TEXT) + 1) == MARK_TEXT
    except OSError:
        return False


def mark(out):
    """Makes the folder of a fleet."""
    os.makedirs(out, exist_ok=True)
    if not is_marked(out):
        with open(os.path.join(out, MARK), "x", encoding="utf-8") as file:
            file.write(MARK_TEXT)


def write_table(path, table):
    """Writes a table as Parquet; returns its size in bytes."""
    import pyarrow.parquet

    os.makedirs(os.path.dirname(path), exist_ok=True)
    unfinished = f"{path}.{os.getpid()}.part"
    try:
        pyarrow.parquet.write_table(table, unfinished, compression="zstd")
        size = os.path.getsize(unfinished)
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
    return size


def write_text(path, text):
    unfinished = f"{path}.{os.getpid()}.part"
    with open(unfinished, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(unfinished, path)


def read_table(path):
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path).read()


def part_path(out, table, rank, key):
    return os.path.join(out, "data", table, f"rank={rank}", f"{key}.parquet")


def parts_of(out, key):
    """All parts of a file, whole or not."""
    return glob.glob(os.path.join(glob.escape(out), "data", "*", "rank=*", f"{key}.parquet*"))


def remove_parts(out, key):
    """Removes what was read from a file; its facts first."""
    for path in sorted(parts_of(out, key), key=lambda path: "/facts/" not in path):
        os.remove(path)


def remove_others(out, keys):
    """Removes the parts of all files but those with these keys, and what a killed worker left unfinished."""
    for path in glob.glob(os.path.join(glob.escape(out), "data", "*", "rank=*", "*")):
        name = os.path.basename(path)
        if OWN_PART.fullmatch(name) and (name.endswith(".part") or name.partition(".")[0] not in keys):
            os.remove(path)


def facts_of(out, key):
    """The facts of a file that was read, as a dict; None if they are missing, or a part is missing or has another size."""
    found = glob.glob(os.path.join(glob.escape(out), "data", "facts", "rank=*", f"{key}.parquet"))
    if len(found) != 1:
        return None
    try:
        facts = read_table(found[0]).to_pylist()[0]
        parts = json.loads(facts["parts"])
        whole = all(os.path.getsize(os.path.join(out, "data", part["path"])) == part["bytes"] for part in parts)
    except (OSError, ValueError, KeyError, IndexError):
        return None
    rank = int(os.path.basename(os.path.dirname(found[0])).partition("=")[2])
    return {**facts, "rank": rank, "parts": parts} if whole else None


def read_part(out, facts, table):
    """The rows of a table that were read from a file, with the column rank; None if it has none."""
    import pyarrow

    pieces = []
    for part in facts["parts"]:
        if part["table"] == table:
            rows = read_table(os.path.join(out, "data", part["path"]))
            rank = pyarrow.repeat(pyarrow.scalar(part["rank"], pyarrow.int64()), len(rows))
            pieces.append(rows.append_column("rank", rank))
    return pyarrow.concat_tables(pieces) if pieces else None
