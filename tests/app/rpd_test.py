#!/usr/bin/env python3
"""Databases of ROCm Profile Data: what the command line says of them equals what SQLite says of the same file."""
import gzip
import sqlite3

from program import json_of, run_all, scratch, text_of, traces_here


class Database:
    """A database, as SQLite reads it."""

    def __init__(self, path, folder):
        if str(path).endswith(".gz"):
            with gzip.open(path, "rb") as packed, open(f"{folder}/plain.rpd", "wb") as plain:
                plain.write(packed.read())
            path = f"{folder}/plain.rpd"
        self.database = sqlite3.connect(f"file:{path}?immutable=1", uri=True)

    def row(self, query):
        return self.database.execute(query).fetchone()

    def work(self, condition):
        """The number of pieces of work of a kind, and the sum of their durations."""
        return self.row(f"""SELECT count(*), coalesce(sum(end - start), 0) FROM rocpd_op JOIN rocpd_string kind ON kind.id = opType_id
            WHERE {condition}""")


def test_counts_and_times_are_those_of_the_tables():
    for path in traces_here("rocm/mytrace.rpd.gz", "more/rpd/matmul_result.rpd"):
        with scratch() as folder:
            database, facts = Database(path, folder), json_of("info", path)
            found = {name: (rows, facts["duration_ns_by_category"][name]) for name, rows in facts["complete_by_category"].items()}
            kinds = {"gpu_memcpy": "string LIKE 'Copy%'", "gpu_memset": "string = 'FillBuffer'", "kernel": "string IN ('KernelExecution', 'Task')"}
            for category, condition in kinds.items():
                assert found.get(category, (0, 0)) == database.work(condition), (path, category, found)
            linked = database.row("SELECT count(DISTINCT op_id) FROM rocpd_api_ops JOIN rocpd_api ON rocpd_api.id = api_id")[0]
            assert facts["gpu_activities_with_launch"] == linked, path
            calls = sum(found.get(name, (0, 0))[0] for name in ("hip_runtime", "overhead", "cpu_op", "user_annotation"))
            assert calls == database.row("SELECT count(*) FROM rocpd_api")[0], (path, found)
            for command in (["summary"], ["findings"], ["table", "operators"], ["table", "launches"], ["table", "hotspots"]):
                text_of(*command, path)


def test_a_small_database():
    with scratch() as folder:
        database = sqlite3.connect(f"{folder}/run.rpd")
        database.executescript("""
            CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY, string TEXT);
            INSERT INTO rocpd_string VALUES(1, ''), (2, 'hipExtModuleLaunchKernel'), (3, '_Z4gemmPf'), (4, 'KernelExecution'), (5, 'UserMarker'),
                (6, 'aten::mm'), (7, 'CopyDeviceToHost'), (8, 'hipMemcpyAsync'), (9, 'step');
            CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, end INTEGER, apiName_id INTEGER, args_id INTEGER);
            INSERT INTO rocpd_api VALUES(100, 7, 9, 1000, 9000, 5, 9), (101, 7, 9, 1100, 3000, 5, 6), (102, 7, 9, 1200, 2000, 2, 1),
                (103, 7, 9, 4000, 5000, 8, 1);
            CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start INTEGER, end INTEGER, description_id INTEGER,
                opType_id INTEGER);
            INSERT INTO rocpd_op VALUES(1, 2, 0, 2500, 2900, 3, 4), (2, 2, 0, 5100, 5200, 1, 7);
            CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);
            INSERT INTO rocpd_api_ops VALUES(1, 102, 1), (2, 103, 2);
            CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY, gridX INTEGER, gridY INTEGER, gridZ INTEGER, workgroupX INTEGER,
                workgroupY INTEGER, workgroupZ INTEGER, groupSegmentSize INTEGER);
            INSERT INTO rocpd_kernelapi VALUES(102, 1000, 4, 1, 256, 1, 1, 512);
            CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY, size INTEGER); INSERT INTO rocpd_copyapi VALUES(103, 4096);
            CREATE TABLE ext_autogradapi(api_ptr_id INTEGER PRIMARY KEY, seq INTEGER, sizes TEXT);
            INSERT INTO ext_autogradapi VALUES(101, 45, '[[2, 3]]');
            CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY, deviceId INTEGER, monitorType TEXT, start INTEGER, value TEXT);
            INSERT INTO rocpd_monitor VALUES(1, 2, 'sclk', 1000, '800'), (2, 2, 'sclk', 2000, '1700');""")
        database.close()
        path = f"{folder}/run.rpd"
        kernel, = json_of("sql", path, "SELECT * FROM kernel")
        assert (kernel["name"], kernel["device"], kernel["dur"]) == ("gemm(float*)", 2, 400), kernel
        assert (kernel["grid_x"], kernel["grid_y"], kernel["block_x"]) == (4, 4, 256), kernel
        copy, = json_of("sql", path, "SELECT * FROM gpu_activity WHERE name LIKE 'Memcpy%'")
        assert (copy["name"], copy["bytes"]) == ("Memcpy DtoH (Device -> Host)", 4096), copy
        operator, = json_of("sql", path, "SELECT * FROM operator_call")
        assert (operator["name"], operator["sequence"], operator["input_dims"]) == ("aten::mm", 45, "[[2, 3]]"), operator
        assert json_of("info", path)["gpu_activities_with_launch"] == 2
        values = json_of("sql", path, "SELECT value FROM counter ORDER BY ts")
        assert {800.0, 1700.0} <= {row["value"] for row in values}, values
        size, = json_of("sql", path, "SELECT int_value FROM slice JOIN args USING (arg_set_id) WHERE key = 'args.size'")
        assert size["int_value"] == 4096, size


if __name__ == "__main__":
    run_all(globals())
