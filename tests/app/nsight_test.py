#!/usr/bin/env python3
"""Exports of Nsight Systems: what the command line says of them equals what SQLite says of the same file."""
import gzip
import pathlib
import shutil
import sqlite3
import struct

from program import error_of, json_of, run_all, scratch, text_of, traces_here

PREFIX = "CUPTI_ACTIVITY_KIND_"
OF_PROCESS = "~0xFFFFFF"  # the bits of a globalTid that name its process


def real_exports():
    return traces_here("nsys/h100_2gpu_1s.sqlite", "nsys/h100_2gpu_nccl_300ms.sqlite", "nsys/rtx3080_two_kernels_full.sqlite",
                       "more/nsys/saxpy-mpi-cuda_nsys_perlmutter0.sqlite")


class Export:
    """A database, as SQLite reads it."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        self.tables = {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type='table'")}

    def rows(self, query):
        return self.database.execute(query).fetchall()

    def counts(self, table):
        """The number of rows and the sum of their durations."""
        return self.rows(f"SELECT count(*), coalesce(sum(end - start), 0) FROM {table}")[0] if table in self.tables else (0, 0)

    def linked(self, table):
        if table not in self.tables:
            return 0
        return self.rows(f"""SELECT count(*) FROM {table} work WHERE EXISTS (SELECT 1 FROM {PREFIX}RUNTIME call
            WHERE call.correlationId = work.correlationId AND (call.globalTid & {OF_PROCESS}) = work.globalPid)""")[0][0]


def test_counts_and_times_are_those_of_the_tables():
    for path in real_exports():
        export, facts = Export(path), json_of("info", path)
        for category, tables in {"kernel": ["KERNEL"], "gpu_memcpy": ["MEMCPY"], "gpu_memset": ["MEMSET"], "cuda_sync": ["SYNCHRONIZATION"]}.items():
            rows, time = export.counts(PREFIX + tables[0])
            found = facts["complete_by_category"].get(category, 0), facts["duration_ns_by_category"].get(category, 0)
            assert found == (rows, time), (path, category, found, rows, time)
        work = [PREFIX + table for table in ("KERNEL", "MEMCPY", "MEMSET")]
        assert facts["gpu_activities"] == sum(export.counts(table)[0] for table in work), path
        assert facts["gpu_activities_with_launch"] == sum(map(export.linked, work)), path


def test_calls_and_ranges_are_those_of_the_tables():
    for path in real_exports():
        export, facts = Export(path), json_of("info", path)
        # A call with a stack has a second row inside its own.
        calls = export.rows(f"""SELECT count(*), sum(end - start) FROM {PREFIX}RUNTIME call WHERE eventClass NOT IN (0, 1) OR NOT EXISTS
            (SELECT 1 FROM {PREFIX}RUNTIME other WHERE other.eventClass NOT IN (0, 1) AND other.correlationId = call.correlationId
             AND other.globalTid = call.globalTid)""") if "CUDA_CALLCHAINS" in export.tables else [export.counts(PREFIX + "RUNTIME")]
        found = [sum(facts[key].get(name, 0) for name in ("cuda_runtime", "cuda_driver"))
                 for key in ("complete_by_category", "duration_ns_by_category")]
        assert tuple(found) == calls[0], (path, found, calls)
        if "NVTX_EVENTS" in export.tables:
            ranges = export.rows("SELECT count(*), sum(end - start) FROM NVTX_EVENTS WHERE eventType = 59")[0]
            found = [sum(facts[key].get(name, 0) for name in ("cpu_op", "user_annotation", "communication"))
                     for key in ("complete_by_category", "duration_ns_by_category")]
            assert tuple(found) == ranges, (path, found, ranges)


def test_the_table_of_kernels_has_the_times_of_each_kernel():
    for path in real_exports():
        export = Export(path)
        expected = export.rows(f"""SELECT count(*), sum(end - start), min(end - start), max(end - start) FROM {PREFIX}KERNEL
            JOIN StringIds ON id = mangledName GROUP BY deviceId, value""")
        rows = json_of("table", "kernels", path)
        found = [(row["calls"], row["total_ns"], row["min_ns"], row["max_ns"]) for row in rows if row["kind"] in ("kernel", "communication")]
        assert sorted(found) == sorted(expected), (path, sorted(found)[:3], sorted(expected)[:3])


def test_every_table_and_text_can_be_made():
    for path in real_exports():
        for command in (["summary"], ["findings"], ["table", "operators"], ["table", "launches"], ["table", "gaps"], ["table", "steps"],
                        ["table", "breakdown"], ["table", "hotspots"], ["table", "synchronisations"]):
            text_of(*command, path)
        counted = json_of("sql", path, "SELECT count(*) AS n FROM kernel")
        assert counted[0]["n"] == Export(path).counts(PREFIX + "KERNEL")[0], (path, counted)


def small_export(path):
    database = sqlite3.connect(path)
    database.executescript(f"""
        CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems');
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES(1, 'cudaLaunchKernel_v7000'), (2, '_Z4gemmPf');
        CREATE TABLE {PREFIX}RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
        INSERT INTO {PREFIX}RUNTIME VALUES(1000, 2000, 0, 7 << 24 | 9, 1, 1);
        CREATE TABLE {PREFIX}KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
            mangledName INTEGER, gridX INTEGER);
        INSERT INTO {PREFIX}KERNEL VALUES(3000, 4500, 0, 7, 1, 7 << 24, 2, 64);""")
    database.commit()
    database.close()


def test_an_export_is_read_plain_and_compressed():
    with scratch() as folder:
        plain, packed = f"{folder}/run.sqlite", f"{folder}/run.sqlite.gz"
        small_export(plain)
        with open(plain, "rb") as source, gzip.open(packed, "wb") as target:
            shutil.copyfileobj(source, target)
        for path in (plain, packed):
            facts = json_of("info", path)
            assert facts["format"] == "nsight-sqlite", facts
            assert facts["gpu_activities_with_launch"] == 1, facts
            found = json_of("sql", path, "SELECT int_value FROM slice JOIN args USING (arg_set_id) WHERE key = 'args.gridX'")
            assert [row["int_value"] for row in found] == [64], found


def export_with_a_graph(path, originals):
    """A captured graph of two kernels, replayed by two launches with copies of its nodes. `originals`: whether the capture was recorded."""
    small_export(path)
    database = sqlite3.connect(path)
    thread = 7 << 24 | 9
    database.executescript(f"""
        INSERT INTO StringIds VALUES(3, 'cudaGraphLaunch_v10000'), (4, 'cudaGraphInstantiate_v12000'), (5, 'cudaGraphAddKernelNode'), (6, '_Z4reluPf');
        CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER);
        INSERT INTO NVTX_EVENTS VALUES(10000, 20000, 59, 'aten::mm, op_id = 1', {thread}, 0), (21000, 30000, 59, 'aten::relu, op_id = 2', {thread}, 0);
        CREATE TABLE CUDA_GRAPH_NODE_EVENTS(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, nameId INTEGER, graphNodeId INTEGER,
            originalGraphNodeId INTEGER);
        INSERT INTO {PREFIX}RUNTIME VALUES(11000, 12000, 0, {thread}, 20, 1), (22000, 23000, 0, {thread}, 21, 1), (40000, 50000, 0, {thread}, 22, 4),
            (60000, 61000, 0, {thread}, 23, 3), (70000, 71000, 0, {thread}, 24, 3);
        ALTER TABLE {PREFIX}KERNEL ADD COLUMN graphNodeId INTEGER;
        INSERT INTO {PREFIX}KERNEL VALUES(62000, 63000, 0, 7, 23, 7 << 24, 2, 64, 201), (63500, 64000, 0, 7, 23, 7 << 24, 6, 64, 202),
            (72000, 73000, 0, 7, 24, 7 << 24, 2, 64, 201), (73500, 74000, 0, 7, 24, 7 << 24, 6, 64, 202);
        INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES(41000, 41100, 0, {thread}, 5, 201, 101), (42000, 42100, 0, {thread}, 5, 202, 102);""")
    if originals:
        database.execute(f"INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES(11100, 11200, 0, {thread}, 5, 101, NULL), (22100, 22200, 0, {thread}, 5, 102, NULL)")
    database.commit()
    database.close()


def test_kernels_of_a_graph_have_the_operators_of_their_nodes():
    with scratch() as folder:
        for originals in (True, False):
            path = f"{folder}/run{originals}.sqlite"
            export_with_a_graph(path, originals)
            replays = json_of("info", path)["graph_replays"]
            assert replays["kernels"] == 4, replays
            assert replays["by"]["graph id"] == (4 if originals else 0), replays
            kernels = json_of("table", "kernels", path, "--by", "instance", "--top", "100")
            found = sorted((row["operator"], row["attributed_by"]) for row in kernels if row["graph_node"]) if "graph_node" in kernels[0] else None
            by_id = sorted((row["operator"] or "", row["attributed_by"] or "") for row in kernels)
            expected = [("aten::mm", "graph id")] * 2 + [("aten::relu", "graph id")] * 2 if originals else []
            assert [row for row in by_id if row[1] == "graph id"] == expected, (found, by_id)


def test_the_table_of_nodes_of_2022_is_read_as_well():
    with scratch() as folder:
        path = f"{folder}/run.sqlite"
        export_with_a_graph(path, True)
        database = sqlite3.connect(path)
        database.execute("ALTER TABLE CUDA_GRAPH_NODE_EVENTS RENAME TO CUDA_GRAPH_EVENTS")
        database.commit()
        database.close()
        assert json_of("info", path)["graph_replays"]["by"]["graph id"] == 4


def test_copies_of_nodes_that_go_in_circles_end():
    with scratch() as folder:
        path = f"{folder}/run.sqlite"
        export_with_a_graph(path, False)
        database = sqlite3.connect(path)
        database.execute(f"INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES(41200, 41300, 0, {7 << 24 | 9}, 5, 101, 201), (41200, 41300, 0, 9, 5, 102, 102)")
        database.commit()
        database.close()
        assert json_of("info", path)["graph_replays"]["by"]["graph id"] == 0


def payload(domain, schema, data):
    return struct.pack("<IIIIQQ", domain, 0, schema, 0, len(data), 32 + len(data)) + data


def test_binary_payloads_of_ranges_are_decoded_by_their_schema():
    nccl, other, reduction = 16777223, 300, 16777232
    with scratch() as folder:
        path = f"{folder}/run.sqlite"
        small_export(path)
        database = sqlite3.connect(path)
        database.executescript("""
            CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER, binaryData BLOB);
            CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, type INTEGER, name TEXT,
                description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);
            CREATE TABLE NVTX_PAYLOAD_ENUMS(domainId INTEGER, schemaId INTEGER, name TEXT, numEntries INTEGER, size INTEGER);
            CREATE TABLE NVTX_PAYLOAD_ENUM_ENTRIES(domainId INTEGER, schemaId INTEGER, idx INTEGER, name TEXT, value INTEGER, isFlag INTEGER);""")
        entries = [(1, nccl, 0, None, 18, "NCCL communicator ID", None, None, None), (1, nccl, 1, None, 22, "Message size [bytes]", None, None, 8),
                   (1, nccl, 2, None, reduction, "Reduction operation", None, None, 16),
                   (2, other, 0, None, 13, "small", None, None, 0), (2, other, 1, None, 44, "real", None, None, 8),
                   (2, other, 2, None, 75, "text", None, 6, 16), (2, other, 3, 0x20, 75, "pointer", None, None, 24),
                   (2, other, 4, None, 9999, "unknown", None, None, 24), (2, other, 5, None, 18, "behind", None, None, 1 << 40),
                   (2, other, 6, None, 23, None, None, None, 24)]
        database.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(?,?,?,?,?,?,?,?,?)", entries * 2)  # repeated for each process
        database.execute("INSERT INTO NVTX_PAYLOAD_ENUMS VALUES(1, ?, 'ncclRedOp', 2, 4)", (reduction,))
        database.executemany("INSERT INTO NVTX_PAYLOAD_ENUM_ENTRIES VALUES(1, ?, ?, ?, ?, 0)", [(reduction, 0, "Sum", 0), (reduction, 1, "Max", 2)])
        ranges = [("ncclAllReduce", 1, payload(1, nccl, struct.pack("<QQiI", 2 ** 63 + 5, 4096, 2, 0))),
                  ("cut", 1, payload(1, nccl, struct.pack("<QQiI", 7, 9, 0, 0))[:44]),
                  ("mixed", 2, payload(2, other, struct.pack("<h6xd6s2xQ", -3, 0.5, b"ab\0cd\0", 255))),
                  ("foreign", 2, payload(2, 5, b"12345678")), ("short", 2, b"123")]
        for i, (name, domain, data) in enumerate(ranges):
            database.execute("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, ?, ?)", (10000 * (i + 1), 10000 * (i + 1) + 5000, name, 7 << 24 | 9, domain, data))
        database.commit()
        database.close()

        def values(name):
            query = f"SELECT key, coalesce(string_value, int_value, real_value) AS v FROM slice JOIN args USING (arg_set_id) WHERE name = '{name}'"
            return {row["key"].removeprefix("args."): str(row["v"]) for row in json_of("sql", path, query)}

        found = values("ncclAllReduce")
        assert found["Message size [bytes]"] == "4096" and found["Reduction operation"] == "Max", found
        assert found["NCCL communicator ID"].startswith("9223372036854775813") or float(found["NCCL communicator ID"]) == float(2 ** 63 + 5), found
        assert "binaryData" not in found
        found = values("cut")
        assert found["NCCL communicator ID"] == "7" and "Message size [bytes]" not in found, found
        found = values("mixed")
        assert found["small"] == "-3" and float(found["real"]) == 0.5 and found["text"] == "ab" and found["payload 6"] == "0xff", found
        assert not {"pointer", "unknown", "behind"} & set(found), found
        for name in ("foreign", "short"):
            assert values(name)["binaryData"] == "binary data", name


def test_payloads_that_repeat_their_bytes_are_cut():
    """A schema of 20 000 fields that all read the same 16 KiB, for 2000 ranges: 640 GB of text."""
    with scratch() as folder:
        path = f"{folder}/run.sqlite"
        small_export(path)
        database = sqlite3.connect(path)
        database.executescript("""
            CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER, binaryData BLOB);
            CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INTEGER, schemaId INTEGER, idx INTEGER, flags INTEGER, type INTEGER, name TEXT,
                description TEXT, arrayOrUnionDetail INTEGER, offset INTEGER);""")
        for schema, kind, length in ((300, 75, 20_000), (301, 18, None)):
            database.executemany("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(1,?,?,NULL,?,?,NULL,?,0)",
                                 [(schema, i, kind, f"field {i}", length) for i in range(20_000)])
        long, short = payload(1, 300, b"x" * 20_000), payload(1, 301, b"12345678")
        database.executemany("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, 1, ?)",
                             [(100 * i, 100 * i + 50, "long" if i % 2 else "short", 7 << 24 | 9, long if i % 2 else short) for i in range(2000)])
        database.commit()
        database.close()
        query = "SELECT name, key, string_value AS v, count(*) AS n FROM slice JOIN args USING (arg_set_id) WHERE key LIKE 'args.payload left%' GROUP BY 1, 2, 3"
        rows = {row["name"]: row for row in json_of("sql", path, query)}
        assert rows["long"]["v"].replace("\u2009", "") == "19997 fields" and rows["long"]["n"] == 1000, rows
        assert rows["short"]["v"].endswith(" fields") and rows["short"]["n"] == 1000, rows
        query = "SELECT max(length(string_value)) AS v FROM slice JOIN args USING (arg_set_id) WHERE key = 'args.field 1'"
        assert json_of("sql", path, query)[0]["v"] < 17_000
        output = f"{folder}/out.json"
        text_of("convert", path, "-o", output)
        assert pathlib.Path(output).stat().st_size < 200_000_000


def test_a_report_is_refused_with_the_command_that_exports_it():
    with scratch() as folder:
        with open(f"{folder}/run.nsys-rep", "wb") as file:
            file.write(b"NVIDIA Tegra Profiler Report 20\n" + bytes(100))
        said = error_of("info", f"{folder}/run.nsys-rep", status=1)
        assert "nsys export --type sqlite" in said, said


if __name__ == "__main__":
    run_all(globals())
