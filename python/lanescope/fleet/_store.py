"""The folder of a fleet's results.

    data/TABLE/rank=R/KEY.parquet   tables of the traces: a Parquet dataset for each table, partitioned by rank and file
    data/facts/rank=R/KEY.parquet   written last, with the size of every other part: proves that the file's parts are complete
    results/TABLE.parquet           results of the comparison: see the page about fleets
    fleet.json, report.html
    lanescope-fleet                 marks the folder: nothing is replaced or removed in a folder without this file

A file gets its final name only when it is complete.
"""

import glob
import json
import os
import re

MARK = "lanescope-fleet"
MARK_TEXT = "lanescope fleet wrote this folder, and replaces and removes files in it.\n"
OWN_PART = re.compile(r"[0-9a-f]{16}\.parquet(\.\d+\.part)?")  # the names that part_path() and write_table() give
LAYOUT = 2  # of the tables of data; what another layout wrote is read again


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
    """Writes a table as Parquet. Returns the size of the file in bytes."""
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
    """Paths of all parts of a file, including unfinished ones."""
    return glob.glob(os.path.join(glob.escape(out), "data", "*", "rank=*", f"{key}.parquet*"))


def remove_parts(out, key):
    """Removes all parts of a file, its facts first."""
    for path in sorted(parts_of(out, key), key=lambda path: "/facts/" not in path):
        os.remove(path)


def remove_others(out, keys):
    """Removes the parts of all files except those with these keys, and the unfinished parts of killed workers."""
    for path in glob.glob(os.path.join(glob.escape(out), "data", "*", "rank=*", "*")):
        name = os.path.basename(path)
        if OWN_PART.fullmatch(name) and (name.endswith(".part") or name.partition(".")[0] not in keys):
            os.remove(path)


def facts_of(out, key):
    """The facts of a file as a dict; None if they are missing, or if a part is missing or has a different size."""
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
    """The rows of one table of a file, with a column `rank`; None if the file has no such table."""
    import pyarrow

    pieces = []
    for part in facts["parts"]:
        if part["table"] == table:
            rows = read_table(os.path.join(out, "data", part["path"]))
            rank = pyarrow.repeat(pyarrow.scalar(part["rank"], pyarrow.int64()), len(rows))
            pieces.append(rows.append_column("rank", rank))
    return pyarrow.concat_tables(pieces) if pieces else None
