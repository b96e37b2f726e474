#!/usr/bin/env python3
"""Exports of Nsight Systems: what the command line says of them equals what SQLite says of the same file."""
import gzip
import shutil
import sqlite3

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


def test_a_report_is_refused_with_the_command_that_exports_it():
    with scratch() as folder:
        with open(f"{folder}/run.nsys-rep", "wb") as file:
            file.write(b"NVIDIA Tegra Profiler Report 20\n" + bytes(100))
        said = error_of("info", f"{folder}/run.nsys-rep", status=1)
        assert "nsys export --type sqlite" in said, said


if __name__ == "__main__":
    run_all(globals())
